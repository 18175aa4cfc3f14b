"""A report as one HTML page that asks nobody for anything: sentences first, then what they rest on."""
import base64
import html
from pathlib import Path

from identification.report import figures
from identification.verdict.pareto import pareto_front
from identification.verdict.sentence import FINE
from robotphi.view.style import AMBER, BLUE, GREY, INK, PALE, RED, TEAL, save

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = f"""
body {{ font: 16px/1.5 system-ui, sans-serif; color: {INK};
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.1rem; margin-top: 2.2rem; border-bottom: 1px solid {PALE}; }}
img {{ max-width: 100%; height: auto; }} table {{ border-collapse: collapse; font-size: 0.9rem; }}
td, th {{ text-align: left; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid {PALE}; vertical-align: top; }}
td.number {{ font-variant-numeric: tabular-nums; }}
li.fine::marker {{ content: "✓ "; color: {TEAL}; }} li.open::marker {{ content: "? "; color: {RED}; }}
ul.findings {{ font-size: 1.05rem; }}
.held {{ color: {AMBER}; font-weight: 600; }} .fitted {{ color: {BLUE}; font-weight: 600; }}
.aside {{ color: {GREY}; font-size: 0.9rem; }} code {{ background: {PALE}; padding: 0.1rem 0.3rem; }}
"""


def write_report(path, problem, verdict, *, title, facts=None, errors=None, generations=(), suggestions=(), criteria=None,
                 criteria_names=()):
    """Write the page and return its path.

    Args:
        path: where to.
        problem: what was fitted, with its measured series.
        verdict: the Verdict on the fitted point.
        title: the head of the page.
        facts: plain values to be told at the end: command, versions, seed, times.
        errors: of every evaluation of the search, in their order; those that failed are not finite.
        generations: numbers of evaluations at which a generation ended.
        suggestions: Suggestions for the next experiment, the best first.
        criteria: of every evaluation, where several were asked for, (n, 2 or more).
        criteria_names: what they are.
    """
    path = Path(path)
    path.write_text(page(problem, verdict, title=title, facts=facts, errors=errors, generations=generations,
                         suggestions=suggestions, criteria=criteria, criteria_names=criteria_names), encoding="utf-8")
    return path


def picture(problem, verdict, path=None):
    """Measured and simulated as one picture: written to a path, or shown by a notebook."""
    return figures.overlays(problem, everything(verdict), lambda figure: save(figure, path))


def everything(verdict):
    """Residuals of all series, those held out behind where there are any."""
    return verdict.jacobian.residuals if verdict.held_out_residuals is None else verdict.held_out_residuals


def page(problem, verdict, *, title, facts=None, errors=None, generations=(), suggestions=(), criteria=None, criteria_names=()):
    """The text of the page; see `write_report`."""
    residuals = everything(verdict)
    names = [finding.name for finding in verdict.findings]
    parts = [
        _findings(verdict),
        _section("Measured and simulated", "Grey dots are measured, the <span class='fitted'>blue line</span> is the fit"
                 + (", the <span class='held'>dashed amber line</span> runs that the fit has not seen." if verdict.held_out else
                    "."), figures.overlays(problem, residuals)),
        _section("Checks", _list([*(check.sentence(names) for check in verdict.checks), *verdict.notes]), None),
        _section("Residuals", "Over the noise that was told; 95 of 100 belong into the band, without a pattern. "
                 + _noise(verdict), figures.residual_panels(problem, residuals)),
        _section("Profiles", "How much worse the best fit gets with one parameter held; the interval ends where the "
                 "curve meets the dotted line" + (", and reaches on to what meshes may leave." if any(
                     check.taken for check in verdict.checks) else "."), figures.profiles(verdict)),
        _section("Correlations", "Near ±1 two parameters are hard to tell apart.", figures.correlations(verdict)),
        _next(verdict, suggestions),
    ]
    if criteria is not None and len(criteria):
        chosen = pareto_front(criteria)
        said = f"{len(chosen)} of {len(criteria)} candidates are beaten by no other in everything."
        parts.append(_section("Pareto front", said, figures.front(criteria, criteria_names, chosen)))
    if errors is not None and len(errors):
        said = f"{len(errors)} evaluations, {verdict.evaluations} more for the verdict."
        parts.append(_section("History of the search", said, figures.history(errors, generations)))
    parts.append(_facts(facts or {}))
    return (f"<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            f"<meta http-equiv='Content-Security-Policy' content=\"{POLICY}\">"
            f"<meta name='viewport' content='width=device-width'><title>{_text(title)}</title><style>{STYLE}</style></head>"
            f"<body><h1>{_text(title)}</h1>{''.join(parts)}</body></html>\n")


def _text(value):
    return html.escape(str(value))


def _image(svg, about):
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f"<p><img alt='{_text(about)}' src='data:image/svg+xml;base64,{data}'></p>"


def _section(title, said, svg):
    """A heading, what is to be seen, the figure; nothing where there is neither list nor figure."""
    if svg is None and not said.startswith("<"):
        return ""
    return f"<h2>{title}</h2><div>{said}</div>" + (_image(svg, title) if svg else "")


def _list(lines):
    return f"<ul>{''.join(f'<li>{_text(line)}</li>' for line in lines)}</ul>"


def _findings(verdict):
    rows = "".join(f"<li class='{'fine' if finding.state == FINE else 'open'}'>{_text(finding.sentence())}</li>"
                   for finding in verdict.findings)
    rows += "".join(f"<li class='open'>{_text(line)}</li>" for line in verdict.misfit())
    return f"<ul class='findings'>{rows}</ul><p class='aside'>{_text(verdict.spread.law())}</p>"


def _noise(verdict):
    rows = "".join(f"<tr><td>{_text(each.run)}</td><td>{_text(each.name)}</td><td class='number'>{each.count}</td>"
                   f"<td class='number'>{each.rms:.3g}</td><td class='number'>{each.correlation:.2f}</td>"
                   f"<td class='number'>{each.widening:.3g}</td><td class='number'>{each.whiteness:.2g}</td></tr>"
                   for each in verdict.spread.noise)
    heads = "".join(f"<th>{head}</th>" for head in ("run", "quantity", "values", "rms", "ρ of neighbours", "variance widened",
                                                    "chance if white"))
    return f"<table><tr>{heads}</tr>{rows}</table>"


def _next(verdict, suggestions):
    if not suggestions:
        return ""
    lines = [f"{each.name}: " + ", ".join(f"{finding.name} × {ratio:.2g}" for finding, ratio in
                                          zip(verdict.findings, each.ratio, strict=True)) for each in suggestions]
    said = "<p>Standard deviations that each would leave, over the present ones; the first shrinks all of them most.</p>"
    return _section("The next experiment", _list(lines) + said, figures.shrunk(verdict, suggestions[0]))


def _facts(facts):
    rows = "".join(f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in facts.items())
    return f"<h2>How this was made</h2><table>{rows}</table>" if rows else ""
