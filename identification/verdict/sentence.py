"""One sentence for each parameter: its value and interval, or that it cannot be told, and why."""
import math
from typing import NamedTuple

FINE, BELOW, ABOVE, UNKNOWN, CONFOUNDED, NO_EFFECT = (
    "identified", "bounded above", "bounded below", "not identifiable", "confounded", "no effect")


class Finding(NamedTuple):
    """What a fit tells of one parameter."""
    name: str
    unit: str
    value: float
    low: float
    high: float
    sd: float                # of the value where the scale is linear, of its logarithm where not
    state: str
    partners: tuple          # what it is confounded with
    close: tuple             # (name, correlation) of the parameter it is least well told apart from

    @property
    def identified(self):
        return self.state == FINE

    def sentence(self):
        return f"{self.name}: {SAID[self.state](self)}"


def figures(value, spread):
    """A number with two digits of its uncertainty, four at least of its own where that is large."""
    if not math.isfinite(value):
        return str(value)
    if value == 0 or not (math.isfinite(spread) and spread > 0):
        return f"{value:.4g}"
    digits = 1 + math.floor(math.log10(abs(value))) - math.floor(math.log10(spread)) + 1
    return f"{value:.{min(max(digits, 2), 12)}g}"


def _with_unit(text, unit):
    return f"{text} {unit}" if unit else text


def _interval(finding):
    width = (finding.high - finding.low) / 2
    return figures(finding.low, width), figures(finding.high, width)


def _fine(finding):
    low, high = _interval(finding)
    said = f"{_with_unit(figures(finding.value, (finding.high - finding.low) / 2), finding.unit)} [{low}, {high}]"
    if finding.close and abs(finding.close[1]) > 0.95:
        said += f"; told apart from {finding.close[0]} with difficulty (correlation {finding.close[1]:.3f})"
    return said


def _below(finding):
    return f"not identifiable: any value below {_with_unit(f'{finding.high:.3g}', finding.unit)} explains the measurement"


def _above(finding):
    return f"not identifiable: any value above {_with_unit(f'{finding.low:.3g}', finding.unit)} explains the measurement"


def _unknown(finding):
    return (f"not identifiable: any value from {finding.low:.3g} to {_with_unit(f'{finding.high:.3g}', finding.unit)} explains "
            "the measurement")


def _confounded(finding):
    others = " and ".join(finding.partners)
    return f"not identifiable: confounded with {others}, which makes up for any change of it; only a mixture of them shows"


def _no_effect(finding):
    return "not identifiable: it has no effect on what was measured"


SAID = {FINE: _fine, BELOW: _below, ABOVE: _above, UNKNOWN: _unknown, CONFOUNDED: _confounded, NO_EFFECT: _no_effect}
