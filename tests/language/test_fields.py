"""The table of fields: complete, without idle rows, of one mind with docstrings; schema and reference follow from it."""
import json
import re

import pytest

from robotphi.language.fields import ROWS, fields_of, summary_of
from robotphi.language.functions import FUNCTION_OF, GIVES, SECTIONS_OF, kinds
from robotphi.language.nodes import Counter, read_nodes
from robotphi.language.reference import reference
from robotphi.language.schema import schema, unknown_kinds
from robotphi.scene.makers import MAKERS
from robotphi.scene.scene import Scene
from tests import ROOT

OWNERS = ("Scene", *kinds().values(), *(verb for verb in SECTIONS_OF if verb != "__init__"), *GIVES)
UNITS = {unit for _, units, _ in ROWS.values() for unit in units.split("|")} - {""}
SCENES = sorted((ROOT / "docs" / "scenes").glob("*.yaml"))


def units_told(meaning):
    """The units that a docstring gives in brackets."""
    return {unit for inside in re.findall(r"\[([^\]]+)\]", meaning) for unit in re.split(r", | or ", inside)}


@pytest.mark.parametrize("owner", OWNERS)
def test_every_argument_has_a_row_and_somebody_says_what_it_means(owner):
    fields = fields_of(owner)   # KeyError: an argument without a row
    assert summary_of(owner)
    for name, field in fields.items():
        assert field.meaning or summary_of(owner), name


@pytest.mark.parametrize("owner", OWNERS)
def test_units_are_those_of_the_docstrings(owner):
    for name, field in fields_of(owner).items():
        told = units_told(field.meaning) & UNITS
        if field.unit not in ("", "1") and told:
            assert told & set(field.unit.split("|")), (name, field.unit, field.meaning)


def test_no_row_is_idle():
    used = {f"{owner}.{name}" for owner in OWNERS for name in fields_of(owner)}
    left = {name for owner in OWNERS for name in fields_of(owner) if f"{owner}.{name}" not in ROWS}
    assert {row for row in ROWS if row not in used | left} == set()


def test_every_kind_of_the_table_is_read_and_every_maker_is_a_function():
    assert unknown_kinds() == set()
    assert {*FUNCTION_OF} == {*MAKERS}
    assert {*FUNCTION_OF.values()} <= {*GIVES}


def test_every_verb_of_a_scene_is_a_kind_or_has_a_section():
    verbs = {name for name in dir(Scene) if getattr(getattr(Scene, name), "is_verb", False)}
    assert verbs == ({*kinds().values()} | {*SECTIONS_OF}) - {"add_robot"}


def test_bounds_of_the_table_are_no_tighter_than_the_defaults():
    signs = {">": float.__gt__, ">=": float.__ge__, "<": float.__lt__, "<=": float.__le__}
    for owner in OWNERS:
        for name, field in fields_of(owner).items():
            if isinstance(field.default, (int, float)) and not isinstance(field.default, bool):
                assert all(signs[sign](float(field.default), bound) for sign, bound in field.bounds), (owner, name)
            if field.words and isinstance(field.default, str) and field.default:
                assert field.default in field.words, (owner, name)


def test_the_reference_in_docs_is_that_of_the_table():
    page = (ROOT / "docs" / "scene_language.md").read_text(encoding="utf-8")
    assert page == reference(), "run: robotphi schema --reference > docs/scene_language.md"


def plain(node):
    if node.is_map:
        return {name: plain(each) for name, each in node.value.items()}
    return [plain(each) for each in node.value] if node.is_list else node.value


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is tried by jsonschema")
    found = jsonschema.Draft202012Validator(json.loads(json.dumps(schema())))
    found.check_schema(found.schema)
    return found


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_the_schema_takes_the_scenes_of_the_docs(path, validator):
    assert [error.message for error in validator.iter_errors(plain(read_nodes(path, Counter())))] == []


@pytest.mark.parametrize(("place", "value"), [
    (("things", "ball", "particle", "mas"), 1.0), (("things", "balls"), {"bal": {}}),
    (("things", "ball", "particle", "mass"), [[]]),
    (("frames",), -3), (("thing",), {}), (("figures",), {"height": {"biggest": "height"}})])
def test_the_schema_refuses_what_is_wrong(place, value, validator):
    document = plain(read_nodes(ROOT / "docs" / "scenes" / "hammock.yaml", Counter()))
    holder = document
    for word in place[:-1]:
        holder = holder[word]
    holder[place[-1]] = value
    if place[-1] == "mass":
        holder["mass"] = {"a": {}, "b": 1}
    assert list(validator.iter_errors(document))
