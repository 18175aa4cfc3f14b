"""Tables of the step: every entry of the ledger, limit, status, scheme and control has all that is told of it, once."""
import re

import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model
from robotphi.kernels.step import codes, entries, slots
from robotphi.record.recorder import Recorder
from robotphi.record.recording import STATUSES
from robotphi.scene import stepping
from robotphi.view import graphs

COLOUR = re.compile("#[0-9a-f]{6}")


def test_every_entry_has_a_name_of_its_own_a_kind_a_place_where_it_shows_and_a_colour():
    names = [entry.name for entry in entries.ENTRIES]
    assert len(set(names)) == len(names)
    for entry in entries.ENTRIES:
        assert entry.kind in (entries.VALUE, entries.CHANGE, entries.LOST, entries.WORK)
        assert entry.shows in (entries.ALWAYS, entries.CONTACT, entries.MEDIUM, entries.JOINTED, entries.STIFF,
                               entries.BREAKING)
        assert COLOUR.fullmatch(entry.colour)
        assert entry.name.startswith("work:") == (entry.kind == entries.WORK)
        assert graphs.colour_of(entry.name) == entry.colour


def test_entries_stand_in_the_order_in_which_they_are_added_up():
    """Values, changes and values again, what is lost, work: the loops over `books` go by ranges. The kinetic energy is first,
    which is no change since the start."""
    kinds = [entry.kind for entry in entries.ENTRIES]
    assert set(kinds[:entries.CHANGE_FROM]) == set(kinds[entries.CHANGE_TO:entries.LOST_FROM]) == {entries.VALUE}
    assert set(kinds[entries.CHANGE_FROM:entries.CHANGE_TO]) == {entries.CHANGE}
    assert set(kinds[entries.LOST_FROM:entries.WORK_FROM]) == {entries.LOST}
    assert set(kinds[entries.WORK_FROM:]) == {entries.WORK}
    assert entries.places("kinetic") == (0,)


def test_a_compensated_sum_keeps_what_rounding_took_behind_itself():
    assert entries.REST == entries.TOTAL + 1
    columns = {entries.TOTAL, entries.REST, entries.START, entries.NEXT, entries.RATE, entries.NEXT_RATE, entries.EXTRA}
    assert len(columns) == 7
    assert max(columns) < entries.BOOK_COLUMNS


def still_scene(**more):
    scene = Scene("still", duration=1.0, frames=2, gravity=(0, 0, 0), **more)
    scene.add_particle("mass", (0, 0, 0), 1.0)
    return scene


def test_the_ledger_of_a_plain_scene_holds_what_always_shows_and_three_figures():
    ledger = Simulator(build_model(still_scene())).state.ledger()
    always = [entry.name for entry in entries.ENTRIES if entry.shows == entries.ALWAYS]
    assert list(ledger) == [*always, "residual", "largest_residual", "reference_energy"]


def test_layers_of_the_graph_are_what_is_stored_and_lost():
    recorder = Recorder(2)
    nothing = [np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))]
    for time in (0.0, 1.0):
        ledger = {entry.name: 1.0 + time for entry in entries.ENTRIES}
        ledger |= {"stored:pull": time, "lost:pull": time, "residual": 0.0}
        recorder.add_frame(time, np.zeros((1, 3)), np.zeros((1, 3)), *nothing, ledger=ledger)
    layers, supplied = graphs.ledger_layers(recorder.recording())
    assert set(layers) == {entry.name for entry in entries.ENTRIES if entry.kind != entries.WORK} | {"stored:pull", "lost:pull"}
    assert supplied[1] - supplied[0] == 1.0, "the work of the wind, a row of the table"


@pytest.mark.parametrize("table", [codes.SCHEMES, codes.CONTROLS, codes.LIMITS, codes.STATUSES], ids=lambda t: t[0].name)
def test_every_code_has_a_name_of_its_own_and_a_sentence(table):
    assert len({word.name for word in table}) == len(table)
    assert all(word.name and word.sentence for word in table)


def test_limits_differ_in_colour():
    assert len({limit.colour for limit in codes.LIMITS}) == len(codes.LIMITS)
    assert all(COLOUR.fullmatch(limit.colour) for limit in codes.LIMITS)


def test_a_scene_may_ask_for_all_schemes_and_controls_and_no_others():
    assert [scheme.name for scheme in codes.SCHEMES] == list(stepping.SCHEMES)
    assert [control.name for control in codes.CONTROLS] == list(stepping.CONTROLS)


def test_a_run_ends_as_the_statuses_say():
    assert {status.end for status in codes.STATUSES} - {""} <= codes.ENDS.keys()
    assert tuple(codes.ENDS) == STATUSES
    recording = Simulator(build_model(still_scene(stepping=Stepping(control="fixed", dt=0.1, attempt_limit=3)))).run()
    assert recording.status == codes.STATUSES[codes.ATTEMPTS_USED].end


def test_every_limit_is_counted():
    counts = Simulator(build_model(still_scene())).counts()
    assert [name for name in counts if name.startswith("limited_by_")] == [f"limited_by_{limit.name}" for limit in codes.LIMITS]


def test_the_graph_of_steps_names_every_limit_in_its_colour(monkeypatch, tmp_path):
    count = len(codes.LIMITS)
    recorder = Recorder(1)
    nothing = [np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))]
    recorder.add_frame(0.0, np.zeros((1, 3)), np.zeros((1, 3)), *nothing, ledger={})
    recorder.add_steps(np.arange(float(count)), np.ones(count), np.zeros(count), np.arange(count))
    monkeypatch.setattr(graphs, "save", lambda figure, path: figure)
    axes = graphs.draw_steps(recorder.recording(), tmp_path / "steps.png").axes[0]
    shown = {line.get_label(): line.get_color() for line in axes.lines if not line.get_label().startswith("_")}
    assert shown == {limit.name: limit.colour for limit in codes.LIMITS}


def test_places_are_counted_where_they_are_taken():
    """A place inserted anywhere moves the ones behind it: the last of each array ends where the array ends."""
    assert slots.TURNED == slots.NUMBER_COUNT - 1
    assert slots.BEGIN_CONTACT == slots.COUNTER_COUNT - 1
    assert slots.LIMITED + len(codes.LIMITS) == slots.ORDER
    assert slots.LARGEST_RESIDUAL == slots.RESIDUAL + 2
