"""The balance of a recording: how much energy its ledger leaves unexplained, and whether that is within the budget."""
import math

import numpy as np

from robotphi.errors import CheckFailed

ROUNDING = 4.0 * float(np.finfo(float).eps)  # of the energies it is made of: a step's residual so small says nothing


def balance(recording):
    """What is left unexplained, by name; empty where there is no ledger.

    share: the largest residual, as a share of the largest energy that was there.
    budget: that was to be kept; None where no budget set the step.
    kept: whether it was; None where there is no budget or the recording does not tell.
    closes: kept, or missed by no more than rounding explains, as at rest, where hardly any energy moves.
    reserve, rounding: steps that stood on the reserve for jumps, or on rounding.
    """
    largest, reference = (_last(recording, name) for name in ("largest_residual", "reference_energy"))
    if largest is None or reference is None:
        return {}
    info, counts = recording.info, recording.counts
    budget = info.get("budget") if info.get("control") == "ledger" else None
    told, kept, closes = info.get("budget_kept"), None, None
    if budget is not None and told is not None:
        kept = bool(told) and largest <= budget * reference
        closes = kept or largest <= budget * reference + rounding_floor(recording)
    share = largest / reference if reference > 0.0 else 0.0 if largest == 0.0 else math.inf
    return {"share": share, "budget": budget, "kept": kept, "closes": closes,
            "reserve": counts.get("reserve"), "rounding": counts.get("rounding")}


def rounding_floor(recording):
    """What rounding alone can make of the residual [J]: each step, that of all energies in the ledger."""
    size = sum(float(np.abs(values).max()) for name, values in recording.ledger.items() if "residual" not in name)
    return recording.counts.get("accepted", 0) * ROUNDING * size


def _last(recording, name):
    values = recording.ledger.get(name)
    return None if values is None or not len(values) else float(values[-1])


def check_balance(recording, name=""):
    """Raise CheckFailed where a run that is done spent more than its budget; returns its `balance`."""
    figures = balance(recording)
    if recording.status == "done" and figures.get("closes") is False:
        steps = [f"{figures[why]} steps stood on {what}" for why, what in
                 (("rounding", "rounding alone"), ("reserve", "the reserve for jumps")) if figures[why]]
        known = f" ({', '.join(steps)})" if steps else ""
        raise CheckFailed(f"the ledger does not close: {name and name + ': '}{figures['share']:.2e} of the largest energy is "
                          f"unexplained, the budget is {figures['budget']:g}{known}; give a larger budget, or drives and "
                          "springs that do not jump")
    return figures


def worst(balances):
    """(name, balance) of the recording that spent most of its budget, or has the largest share where none has one."""
    def spent(item):
        figures = item[1]
        return figures["budget"] is not None, figures["share"] / (figures["budget"] or 1.0)
    return max(((name, figures) for name, figures in balances.items() if figures), key=spent, default=("", {}))


def balance_line(figures):
    """One line for people; empty where there is no ledger."""
    if not figures:
        return ""
    line = f"{figures['share']:.2e} of the largest energy is unexplained"
    if figures["budget"] is None:
        return f"{line}; no budget set the step"
    verdict = {True: ", kept", False: ", NOT kept", None: ""}[figures["kept"]]
    if figures["closes"] and not figures["kept"]:
        verdict = ", missed by rounding alone"
    return f"{line}, budget {figures['budget']:g}{verdict}"
