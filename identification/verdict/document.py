"""A verdict as plain values, for JSON: what is not finite is None."""
import math

from identification.verdict.sentence import FINE


def as_document(verdict):
    """All that a verdict says, but the points of profiles and the residuals."""
    return plain({
        "parameters": [{"name": each.name, "unit": each.unit, "value": each.value, "low": each.low, "high": each.high,
                        "identified": each.state == FINE, "state": each.state, "confounded_with": list(each.partners),
                        "says": each.sentence()} for each in verdict.findings],
        "says": verdict.sentences()[len(verdict.findings):],
        "intervals": {"level": verdict.level, "law": verdict.spread.law(), "noise_measured_over_told": verdict.spread.size,
                      "correlation": verdict.spread.correlation().tolist()},
        "residuals": [each.__dict__ for each in verdict.spread.noise],
        "held_out": [each._asdict() for each in verdict.held_out],
        "checks": [{"name": check.name, "status": check.status, "shift_over_sd": list(check.shift),
                    "values": list(check.values)} for check in verdict.checks],
        "profile_evaluations": {name: each.evaluations for name, each in verdict.profiles.items()},
        "evaluations": verdict.evaluations, "notes": list(verdict.notes)})


def plain(value):
    """Values as JSON knows them."""
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
