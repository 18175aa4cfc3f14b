"""Candidates on a Dask scheduler, with scheduler and workers as processes of their own: the same journal to the byte."""
import os
import socket
import subprocess
import sys

import pytest

from identification.errors import ExperimentError
from identification.running.pool import Here, Workers, open_pool
from tests import ROOT
from tests.identification.test_journal import DEADLY, ClosedForm, journal_of


@pytest.fixture(scope="module")
def scheduler():
    """The address of a scheduler with two workers."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install '.[cluster]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    surroundings = os.environ | {"PYTHONPATH": path, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    processes = []

    def start(program, *words):
        processes.append(subprocess.Popen([sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *words],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT, env=surroundings))

    start("dask_scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2])
    start("dask_worker", address, "--nthreads", "1", "--nworkers", "2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("identification.running.cluster.PATIENCE", 600.0)   # a scheduler may take long to begin
        yield address
    for process in processes[::-1]:   # workers first: they look for a scheduler that is gone for a long time
        process.terminate()
        process.wait(600)


@pytest.mark.slow
def test_a_cluster_leaves_the_same_bytes(tmp_path, scheduler):
    serial = journal_of(tmp_path / "serial", Here(ClosedForm()))[0]
    assert journal_of(tmp_path / "cluster", open_pool(0, scheduler, ClosedForm(), None))[0] == serial


@pytest.mark.slow
def test_a_candidate_that_kills_workers_of_a_cluster_is_lost_and_all_others_leave_the_same_bytes(tmp_path, scheduler):
    """As with processes of one machine: the candidate is tried twice, alone at last, and counts as lost."""
    own = journal_of(tmp_path / "own", Workers(2, ClosedForm(deadly=DEADLY)))
    cluster = journal_of(tmp_path / "cluster", open_pool(0, scheduler, ClosedForm(deadly=DEADLY), None))
    assert own[1].counts["lost"] >= 1
    assert (cluster[0], cluster[1].counts) == (own[0], own[1].counts)


def test_a_scheduler_that_is_not_there_is_told_with_what_would_work(monkeypatch):
    monkeypatch.setattr("identification.running.cluster.PATIENCE", 0.2)
    with pytest.raises(ExperimentError, match=r"dask scheduler|pip install 'robotphi\[cluster\]'"):
        open_pool(0, "tcp://127.0.0.1:9", ClosedForm(), None)
