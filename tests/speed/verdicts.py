"""The budgets of speed: figures in, one verdict for each budget out."""

KERNEL_LIMIT = 1.1              # bare spring step over hand-vectorised C
STEP_LIMIT = 2.0                # whole adaptive step over the bare step in C
THREADS_LIMIT = 1.8             # gain of a second thread, from THREADS_FROM particles on
THREADS_FROM = 10_000
SLOPE_LIMIT = 1.05              # of log cost over log particles
# The C itself must be good: at most 10 % above these ns per spring, or at most 0.48 of the plain loop in C.
LANES_REFERENCE = {200: 4.2, 10_000: 4.45, 1_000_000: 5.2}
LANES_MARGIN, LANES_RATIO = 1.1, 0.48


def judge(results):
    """A list of budgets: what, particles, found, allowed, met."""
    budgets = []
    for count, figures in results["sizes"].items():
        ratio = figures["ratio"]
        if count in LANES_REFERENCE:
            budgets.append(lanes_budget(count, figures))
        add_budget(budgets, "spring step / C lanes", count, ratio.get("ours / c lanes"), KERNEL_LIMIT)
        add_budget(budgets, "adaptive step / C lanes", count, ratio.get("step / c lanes"), STEP_LIMIT)
        if count >= THREADS_FROM:
            add_budget(budgets, "gain of 2 threads, spring step", count, ratio.get("ours / ours 2 threads"),
                       THREADS_LIMIT, least=True)
            add_budget(budgets, "gain of 2 threads, adaptive step", count, ratio.get("step / step 2 threads"),
                       THREADS_LIMIT, least=True)
    for case, name in (("ours", "spring step"), ("step", "adaptive step")):
        add_budget(budgets, f"log–log slope, {name}", None, results["slopes"].get(case), SLOPE_LIMIT)
    return budgets


def add_budget(budgets, what, count, found, limit, least=False):
    """Judge the median (or the number) against its limit; nothing measured, no verdict."""
    if found is None:
        return
    value = found["median"] if isinstance(found, dict) else found
    budgets.append({"what": what, "particles": count, "found": found, "allowed": f"{'≥' if least else '≤'} {limit}",
                    "met": bool(value >= limit if least else value <= limit)})


def lanes_budget(count, figures):
    """The measure is honest: fast in itself, or against the plain loop on this machine."""
    found = figures["ns_per_spring"]["c lanes"]
    limit = LANES_MARGIN * LANES_REFERENCE[count]
    ratio = figures["ratio"]["c lanes / c scalar"]["median"]
    return {"what": "C lanes, ns per spring", "particles": count, "found": found,
            "allowed": f"≤ {limit:.2f}, or {LANES_RATIO} of scalar ({ratio:.2f})",
            "met": bool(found["median"] <= limit or ratio <= LANES_RATIO)}
