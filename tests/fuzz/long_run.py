"""Thousands of random scenes in pieces: what came of each is a line of a file, and a run that was broken off goes on there.

    python -m tests.fuzz.long_run                     10 000 random and 2000 thrown scenes, 2000 mechanisms, and their bits
    python -m tests.fuzz.long_run --seconds 600       a piece of ten minutes; the same again goes on
    python -m tests.fuzz.long_run --random 300 --thrown 60 --mechanisms 60 --file runs/some.jsonl
    python -m tests.fuzz.long_run --tell              what the file holds, nothing is run

Scenes run in processes of their own: one that crashes or hangs is a trouble of its scene and ends nothing else. A file belongs
to the code it was made with. The exit code is 1 where a scene is in trouble, or more than a hundredth of them end in an error.
"""
import argparse
import json
import queue
import select
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from hashlib import sha256
from pathlib import Path

from tests import ROOT

FILE = ROOT / "runs" / "fuzz.jsonl"
RARE = 0.01          # share of the scenes that may end in an error
PATIENCE = 1200.0    # s for one scene, after which its process hangs: the first one compiles, with others beside it
EVERY = 10.0         # s between two words about progress
SHORT = 300          # attempts of a scene that is run with teams of one and of two
COMPARED = 0.5       # of the scenes whose bits are compared, at least: others end before their third frame


# --- one scene -----------------------------------------------------------------------------------------------------------
def random_outcome(seed):
    from tests.fuzz.ordeal import run_seed, runs_on

    outcome = run_seed(seed)
    return outcome.status, [*outcome.troubles, *runs_on(outcome)], outcome.message, outcome.counts.get("attempts", 0)


def thrown_outcome(seed):
    from tests.fuzz.contact_ordeal import throw

    outcome = throw(seed)
    return outcome.status, outcome.troubles, outcome.message, outcome.facts.get("attempts", 0)


def mechanism_outcome(seed):
    from tests.fuzz.ordeal import run_mechanism

    outcome = run_mechanism(seed)
    return outcome.status, outcome.troubles, outcome.message, outcome.counts.get("attempts", 0)


def mechanism_bits(seed):
    from tests.fuzz.random_mechanism import random_mechanism

    return bits_of(lambda *attempts: random_mechanism(seed, *attempts)[0], seed)


def random_bits(seed):
    from tests.fuzz.random_scene import random_scene

    return bits_of(lambda *attempts: random_scene(seed, None, *attempts)[0], seed)


def thrown_bits(seed):
    from tests.fuzz.random_contact import random_contact_scene

    return bits_of(lambda *attempts: random_contact_scene(seed, *attempts).scene, seed)


def bits_of(build, seed):
    from robotphi import build_model
    from tests.fuzz.same_bits import assert_continues, assert_threads_do_not_matter

    compared = (assert_threads_do_not_matter(build_model(build(SHORT)), seed), assert_continues(build_model(build()), seed))
    return "the same" if all(compared) else "not compared", [], "", 0


KINDS = {"random": random_outcome, "thrown": thrown_outcome, "mechanism": mechanism_outcome, "random bits": random_bits,
         "thrown bits": thrown_bits, "mechanism bits": mechanism_bits}
ENDED_BADLY = ("diverged", "refused")


def line_of(kind, seed):
    """What came of a scene; whatever is raised on the way is a trouble."""
    began = time.process_time()
    try:
        status, troubles, message, attempts = KINDS[kind](seed)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        status, message, attempts = "error", "", 0
        troubles = [f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {str(error).strip():.400}"]
    return {"kind": kind, "seed": seed, "status": status, "troubles": list(troubles), "message": message,
            "attempts": int(attempts), "seconds": round(time.process_time() - began, 4)}


def work():
    """Scenes as they are asked for, one a line."""
    warnings.simplefilter("ignore")   # of long cells
    for line in sys.stdin:
        print(json.dumps(line_of(*json.loads(line))), flush=True)


# --- many ----------------------------------------------------------------------------------------------------------------
class Worker:
    """A process that runs scenes, one after the other; a new one takes the place of one that ended."""

    def __init__(self):
        self.process = None

    def ask(self, kind, seed):
        if self.process is None or self.process.poll() is not None:
            self.end()
            self.process = subprocess.Popen([sys.executable, "-m", "tests.fuzz.long_run", "--work"], cwd=ROOT, text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write(json.dumps([kind, seed]) + "\n")
        self.process.stdin.flush()
        heard = select.select([self.process.stdout], [], [], PATIENCE)[0]
        line = self.process.stdout.readline() if heard else ""
        if line:
            return json.loads(line)
        ending = f"the process ended with {self.process.wait()}" if heard else f"nothing heard for {PATIENCE:g} s"
        self.end()
        return {"kind": kind, "seed": seed, "status": "crash" if heard else "hang", "troubles": [ending], "message": "",
                "attempts": 0, "seconds": 0.0}

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def tasks(random, thrown, mechanisms=0):
    """(kind, seed) of all scenes: of each ten the bits of one are compared."""
    counts = {"random": random, "thrown": thrown, "mechanism": mechanisms}
    counts |= {f"{kind} bits": count // 10 for kind, count in counts.items()}
    return [(kind, seed) for kind, count in counts.items() for seed in range(count)]


def run_all(wanted, workers, keep, stop):
    """Run what is wanted and hand each line to `keep`, until all is done or `stop()`."""
    waiting, done = queue.SimpleQueue(), queue.SimpleQueue()
    for task in wanted:
        waiting.put(task)

    def serve():
        worker = Worker()
        try:
            while not stop():
                done.put(worker.ask(*waiting.get_nowait()))
        except queue.Empty:
            pass
        finally:
            worker.end()
            done.put(None)

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    left = len(threads)
    while left:
        line = done.get()
        if line is None:
            left -= 1
        else:
            keep(line)


# --- the file ------------------------------------------------------------------------------------------------------------
def code_digest():
    """Of all that the outcome of a scene depends on."""
    digest = sha256()
    for path in sorted([*(ROOT / "robotphi").rglob("*.py"), *(ROOT / "tests" / "fuzz").glob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def read(path):
    """(digest of the code, lines) of a file; a last line that was cut short is left out."""
    if not path.exists():
        return None, []
    whole = path.read_text(encoding="utf-8").rpartition("\n")[0].splitlines()
    return (json.loads(whole[0])["code"], [json.loads(line) for line in whole[1:]]) if whole else (None, [])


def begin(path, lines):
    """Write the file anew, whole lines alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = [json.dumps({"code": code_digest()}), *map(json.dumps, lines)]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def tell(lines, wanted):
    """Sentences about what came out; whether all is well."""
    well = True
    for kind in KINDS:
        own = [line for line in lines if line["kind"] == kind]
        asked = sum(task[0] == kind for task in wanted)
        if not own:
            continue
        ends = Counter(line["status"] for line in own)
        errors = sum(ends[status] for status in ENDED_BADLY)
        seconds = sum(line["seconds"] for line in own)
        well &= errors <= RARE * len(own) + 1 and ends["not compared"] <= (1.0 - COMPARED) * len(own) + 1
        yield (f"{kind}: {len(own)} of {asked}, {', '.join(f'{count} {status}' for status, count in ends.most_common())}; "
               f"{seconds:.0f} s of processor time, {sum(line['attempts'] for line in own):,} attempts, the slowest scene "
               "{seed} with {seconds:.1f} s".format(**max(own, key=lambda line: line["seconds"]))), well
        for line in own:
            if line["troubles"]:
                well = False
                yield f"    {kind} {line['seed']} ({line['status']}): {'; '.join(line['troubles'])}", well


# --- command -------------------------------------------------------------------------------------------------------------
def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.long_run", description="Thousands of random scenes in pieces.")
    parser.add_argument("--random", type=int, default=10_000, help="random scenes (10 000)")
    parser.add_argument("--thrown", type=int, default=2_000, help="thrown scenes (2000)")
    parser.add_argument("--mechanisms", type=int, default=2_000, help="random mechanisms (2000)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no scene after so many seconds")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--file", type=Path, default=FILE, help=f"where outcomes are kept ({FILE.relative_to(ROOT)})")
    parser.add_argument("--anew", action="store_true", help="forget what the file holds")
    parser.add_argument("--tell", action="store_true", help="what the file holds, nothing is run")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if options.work:
        work()
        return 0
    code, lines = (None, []) if options.anew else read(options.file)
    if code is not None and code != code_digest() and not options.tell:
        print(f"{options.file} was made with other code: give --anew to forget it, or another --file", file=sys.stderr)
        return 2
    wanted = tasks(options.random, options.thrown, options.mechanisms)
    if not options.tell:
        begin(options.file, lines)
        lines = carry_on(options, wanted, lines)
    well = True
    for sentence, well in tell(lines, wanted):  # noqa: B007  the last verdict is that of all
        print(sentence)
    return 0 if well else 1


def carry_on(options, wanted, lines):
    """Run what the file does not hold yet; returns all lines."""
    known = {(line["kind"], line["seed"]) for line in lines}
    rest = [task for task in wanted if task not in known]
    lines, started, told, broken = list(lines), time.monotonic(), [time.monotonic()], threading.Event()
    with options.file.open("a", encoding="utf-8") as file:
        def keep(line):
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            now = time.monotonic()
            if line["troubles"]:
                print(f"{line['kind']} {line['seed']}: {'; '.join(line['troubles'])}", file=sys.stderr, flush=True)
            if now - told[0] > EVERY:
                told[0] = now
                made, took = len(lines) - len(known), now - started
                left = (len(rest) - made) * took / made
                print(f"{len(lines)} of {len(wanted)}, {60 * made / took:.0f} a minute, {left / 60:.0f} minutes to go",
                      file=sys.stderr, flush=True)

        def stop():
            return broken.is_set() or time.monotonic() - started > options.seconds

        try:
            run_all(rest, options.workers, keep, stop)
        except KeyboardInterrupt:
            broken.set()
            print("broken off; the same command goes on from here", file=sys.stderr)
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
