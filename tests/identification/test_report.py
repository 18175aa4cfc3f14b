"""The report: sentences first, everything in one file, nothing that a browser would ask for elsewhere."""
import base64
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from identification.problem import FunctionProblem, Parameter, Series
from identification.report import page, write_report
from identification.verdict import judge, refine, suggest
from tests.identification.closed_forms import SWING, TIMES, TRUTH, problem_of, swing
from tests.view.browser import CHROMIUM, Browser

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def told():
    """A fit of two runs, one held out, with a parameter without effect, and a page of it."""
    random = np.random.default_rng(5)
    measured = [swing(TRUTH, TIMES) + 0.005 * random.standard_normal(60) for _ in range(2)]
    series = tuple(Series("elongation", f"pull {index}", 60 * index, 60 * index + 60, TIMES, bool(index), 0.005, "m", row)
                   for index, row in enumerate(measured))
    problem = FunctionProblem((*SWING, Parameter("colour", 0.0, 1.0)),
                              lambda v: np.concatenate([(swing(v, TIMES) - row) / 0.005 for row in measured]), series)
    best, _ = refine(problem, [*TRUTH, 0.5])
    verdict = judge(problem, best, variants={"a tenth of the budget": problem})
    told = suggest({"longer <run>": problem_of(problem.parameters, swing, 2 * TIMES, [0 * TIMES], 0.005)}, best,
                   verdict.information)
    errors = [*np.geomspace(50, 1, 40), np.inf]
    facts = {"command": "robotphi-identify fit <bar>.yaml", "seed": 1, "version": "x & y"}
    return verdict, page(problem, verdict, title="Masses & <springs>", facts=facts, errors=errors, generations=(20,),
                         suggestions=told, criteria=random.random((30, 2)), criteria_names=("gap", "attempts")), problem


def images(text):
    return [ElementTree.fromstring(base64.b64decode(data)) for data in re.findall(r"data:image/svg\+xml;base64,([^']+)", text)]


def test_the_sentences_stand_before_any_figure(told):
    verdict, text, _ = told
    ends = [text.index(finding.sentence().replace("<", "&lt;")) for finding in verdict.findings]
    assert ends == sorted(ends)
    assert max(ends) < text.index("<img")


def test_every_section_has_its_figure(told):
    _, text, _ = told
    heads = re.findall(r"<h2>(.*?)</h2>", text)
    assert heads == ["Measured and simulated", "Checks", "Residuals", "Profiles", "Correlations", "The next experiment",
                     "Pareto front", "History of the search", "How this was made"]
    assert len(images(text)) == 7


def test_a_page_asks_nobody_for_anything_and_runs_nothing(told):
    _, text, _ = told
    assert "default-src 'none'" in text
    assert not re.findall(r"(?:src|href)=['\"](?!data:)", text)
    assert "<script" not in text
    for image in images(text):
        asked = [value for each in image.iter() for name, value in each.attrib.items() if name.endswith("href")]
        assert all(value.startswith(("#", "data:image/png")) for value in asked)


def test_names_are_told_as_text(told):
    _, text, _ = told
    assert "Masses &amp; &lt;springs&gt;" in text
    assert "longer &lt;run&gt;" in text
    assert "&lt;bar&gt;.yaml" in text


def test_a_held_out_run_has_a_colour_and_a_stroke_of_its_own(told):
    overlay = images(told[1])[0]
    strokes = [each.get("style", "") for each in overlay.iter(f"{SVG}path")]
    amber = [style for style in strokes if "#d98a1f" in style and "fill: none" in style]
    assert amber
    assert all("dasharray" in style for style in amber)
    assert any("#2b6cb0" in style and "fill: none" in style and "dasharray" not in style for style in strokes)


def test_a_verdict_alone_makes_a_page(told, tmp_path):
    verdict, _, problem = told
    text = write_report(tmp_path / "report.html", problem, verdict, title="alone").read_text(encoding="utf-8")
    assert "History" not in text
    assert "next experiment" not in text


@pytest.mark.slow
def test_a_browser_shows_every_figure(told, tmp_path):
    if CHROMIUM is None:
        pytest.skip("no Chromium here: nothing shows the page")
    path = tmp_path / "report.html"
    path.write_text(told[1], encoding="utf-8")
    browser = Browser(tmp_path / "profile")
    try:
        browser.ask("Page.navigate", url=path.as_uri())
        browser.wait_for("location.protocol === 'file:' && document.readyState === 'complete'")
        widths = browser.evaluate("[...document.images].map(each => each.naturalWidth)")
        assert len(widths) == 7
        assert min(widths) > 100
        assert not browser.complaints
        assert all(url.startswith(("file:", "data:", "about:")) for url in browser.asked)
    finally:
        browser.close()
