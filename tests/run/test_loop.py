"""A team: every member does its share of every call, and is gone when nobody needs it."""
import gc
import os
import threading

import pytest

from robotphi.run import loop
from robotphi.run.loop import Team, leave_team, own_team

from ..counted import python_lines


def members():
    return {thread for thread in threading.enumerate() if thread.name.startswith("robotphi ")}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_member_is_called_once_per_call_with_its_number(count):
    crew, calls = Team(count), []
    for k in range(50):
        crew.run(lambda *arguments: calls.append(arguments), k, "second")
        assert sorted(calls) == [(k, "second", member, count) for member in range(count)]
        calls.clear()


def test_members_work_at_the_same_time():
    meeting, crew = threading.Barrier(3, timeout=600.0), Team(3)
    met = []
    crew.run(lambda *_: met.append(meeting.wait()), None, None)  # one after the other they would never meet
    assert sorted(met) == [0, 1, 2]


def test_members_go_when_their_team_is_forgotten():
    before = members()
    crew = Team(3)
    new = members() - before
    assert len(new) == 2
    crew.run(lambda *_: None, 0, 0)
    del crew
    gc.collect()
    for thread in new:
        thread.join(600.0)
        assert not thread.is_alive()


def test_a_thread_keeps_its_team_and_shares_it_with_no_other():
    found = []
    crew = own_team(2)
    assert own_team(2) is crew
    other = threading.Thread(target=lambda: found.append(own_team(2)))
    other.start()
    other.join()
    assert found[0] is not crew
    leave_team(2)
    assert own_team(2) is not crew


def test_a_child_process_makes_a_team_of_its_own(monkeypatch):
    crew, process = own_team(2), os.getpid()
    monkeypatch.setattr(loop.os, "getpid", lambda: process + 1)
    assert own_team(2) is not crew


def test_lines_are_counted_without_what_is_thrown_away_meanwhile():
    """A forgotten team lets its members go in some lines of Python, whenever the collector happens to find it."""
    def allocates():
        return [[] for _ in range(3000)]

    def throws_away():
        ring = [Team(2)]
        ring.append(ring)
        return allocates()

    wanted = python_lines(allocates)
    for _ in range(5):
        throws_away()
        assert python_lines(allocates) == wanted
