"""Scene files with something wrong in them, on the real entry point in one process: no traceback, none takes long, or much
memory.

    python -m tests.fuzz.mutated_files --first 0 --count 20000
"""
import argparse
import contextlib
import io
import random
import re
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robotphi.commands.cli import app
from tests import ROOT

LONGEST = 1.0          # s of processor time of one file
LARGEST = 100 << 20    # bytes that one takes above what the process has before it
SOUND = 10             # times as much of both for a file that is a scene in spite of all, such as one of a bar 3.5 m long
STATUS, REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")   # of Linux; elsewhere memory is not looked at
NUMBERS = ("0", "-1", "1e308", "-1e-308", "1e5", "999999999", "3.5", ".inf", ".nan", "0x10", "010", "1_000",
           "12345678901234567890", "null", "true", "", "on", "= 1/0", "= 10**99999", "= 2**0.5", "= t", "= __import__('os')",
           "= [1, 2]", "= 'a'", "{i}")
WORDS = ("world", "cloth[8, 6]", "cloth[::0]", "x[99999999999]", ":top", "pad:", "a.b.c", "Ω", "\\x00", "'", '"', "*a", "&a",
         "!!int 3", "<<", "- ", "? ", "[", "]", "{", "}", "{{", "# ", "%TAG", "---", "...", "\t", "\u2028", "{file: a.npz#b}",
         "{file: ../x.npz#b}", "{all: 1, shape: [3, 3]}", "{all: 0, shape: [99999, 99999]}", "{repeat: {i: 3}}",
         "{repeat: {i: 99999999, value: 1}}", "{repeat: {i: 2, value: {apart: [ball, =i]}}}", "{rigid: a}", "{use: {part: a}}",
         "[[[[[[[[[[[[[", "{box: {size: 1}}",
         "{sphere: {radius: 1, level: 40}}", "{drive.sine: {}}", "{hull: {points: [[0, 0, 0]]}}",
         "{discretise: {shape: {box: {size: 1}}, size: 1e-9}}", "null")
KEYS = ("things", "define", "sensors", "repeat", "use", "part", "parts", "parameters", "include", "then", "values", "contact",
        "medium", "robotphi", "scene", "frames", "ball", "object", "linear", "joint", "thing", "figures", "name", "i", "each")
EXPRESSIONS = ("= 1", "= -1", "= 1.5", "= [1, 2]", "= [[1]]", "= []", "= 1 > 0", "= 'a'", "= ['a', 2]", "= 'x'*3", "= 10**30")
REPEATED = ("[", "{a: ", "- ", "\n", " ", "(", "= -", "x")


class Outcome(NamedTuple):
    """What became of one file."""
    seed: int
    seconds: float
    trouble: str      # a traceback, or what was not as it should be; "" where all is well
    code: int
    said: str
    bytes: int = 0    # of memory at its peak, above what the process had


def sources():
    """The texts that are mutated: the scenes of docs/ and what was found to be worth a place."""
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "scenes").glob("*.yaml"))]


def mutated(seed, texts):
    """One text with something wrong in it."""
    chance = random.Random(seed)
    text = chance.choice(texts)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        text = chance.choice(MUTATIONS)(text, chance, texts)
    return text


def _token(text, chance, pattern):
    found = list(re.finditer(pattern, text))
    return chance.choice(found).span() if found else (0, 0)


def _number(text, chance, texts):
    begin, end = _token(text, chance, r"(?<![\w.])-?\d[\w.+-]*")
    return text[:begin] + chance.choice(NUMBERS) + text[end:]


def _word(text, chance, texts):
    begin, end = _token(text, chance, r"[A-Za-z_]\w*")
    return text[:begin] + chance.choice((*WORDS, *KEYS)) + text[end:]


def _expression(text, chance, texts):
    """Of a place or a key the expression of something else."""
    begin, end = _token(text, chance, r'[\w.\-]+|"[^"\n]*"')
    return f'{text[:begin]}"{chance.choice(EXPRESSIONS)}"{text[end:]}'


def _key(text, chance, texts):
    begin, end = _token(text, chance, r"\w+(?=:)")
    return text[:begin] + chance.choice(KEYS) + text[end:]


def _misspelt(text, chance, texts):
    begin, end = _token(text, chance, r"\w{3,}")
    word = list(text[begin:end])
    if len(word) > 1:
        place = chance.randrange(len(word) - 1)
        word[place], word[place + 1] = word[place + 1], word[place]
    return text[:begin] + "".join(word) + text[end:]


def _letter(text, chance, texts):
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice("\x00\t\n :,[]{}#&*!|>'\"%@`=-?.0eΩ\ufeff\x85") + text[place + chance.randrange(2):]


def _line(text, chance, texts):
    lines = text.split("\n")
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(5)
    if how == 0:
        del lines[place]
    elif how == 1:
        lines.insert(place, lines[other])
    elif how == 2:
        lines[place], lines[other] = lines[other], lines[place]
    elif how == 3:
        lines[place] = " " * chance.randrange(9) + lines[place].lstrip()
    else:
        lines.insert(place, chance.choice(chance.choice(texts).split("\n")))
    return "\n".join(lines)


def _cut(text, chance, texts):
    return text[:chance.randrange(len(text) + 1)]


def _many(text, chance, texts):
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(REPEATED) * chance.choice((70, 3000)) + text[place:]


def _piece(text, chance, texts):
    other = chance.choice(texts)
    begin = chance.randrange(len(other))
    place = chance.randrange(len(text) + 1)
    return text[:place] + other[begin:begin + chance.randrange(200)] + text[place:]


MUTATIONS = (_number, _number, _word, _word, _expression, _key, _misspelt, _letter, _line, _line, _cut, _many, _piece)


def _memory(word):
    """Bytes of this process by a word of the system: VmRSS now, VmHWM at most."""
    return int(re.search(rf"{word}:\s*(\d+) kB", STATUS.read_text())[1]) << 10


def begin_peak():
    """Forget the peak of memory; returns what is taken now, None where the system does not tell."""
    try:
        REFS.write_text("5")
        return _memory("VmRSS")
    except (OSError, TypeError):
        return None


def run_one(seed, text, folder):
    """`robotphi info` of a text as a file."""
    path = Path(folder) / "scene.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    out, err, trouble, code = io.StringIO(), io.StringIO(), "", 0
    before, began = begin_peak(), time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)     # advice of makers
        try:
            app(["info", str(path), "--sensors"])
        except SystemExit as ending:
            code = ending.code or 0
        except BaseException:
            trouble = traceback.format_exc()
    seconds = time.process_time() - began
    taken = 0 if before is None else max(_memory("VmHWM") - before, 0)
    said = err.getvalue()
    if not trouble and "Traceback" in said:
        trouble = said
    elif not trouble and code not in (0, 2):
        trouble = f"exit code {code}: {said}"
    elif not trouble and code == 2 and "scene.yaml" not in said and "parameter" not in said:
        trouble = f"the error names no place: {said}"
    elif not trouble and seconds > LONGEST * (1 if code else SOUND):
        trouble = f"it took {seconds:.2f} s of processor time"
    elif not trouble and taken > LARGEST * (1 if code else SOUND):
        trouble = f"it took {taken / 1e6:.0f} MB of memory"
    return Outcome(seed, seconds, trouble, code, said, taken)


def run_many(first, count):
    """The outcomes of so many mutated files."""
    texts = sources()
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        for text in texts:
            run_one(-1, text, folder)   # what is imported and compiled once
        for seed in range(first, first + count):
            yield run_one(seed, mutated(seed, texts), folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    codes, worst, total, wrong, largest = {}, Outcome(-1, 0.0, "", 0, ""), 0.0, 0, 0
    for outcome in run_many(given.first, given.count):
        codes[outcome.code] = codes.get(outcome.code, 0) + 1
        worst, total = max(worst, outcome, key=lambda each: each.seconds), total + outcome.seconds
        largest = max(largest, outcome.bytes)
        if outcome.trouble:
            wrong += 1
            print(f"--- seed {outcome.seed}\n{outcome.trouble[-1500:]}", flush=True)
    print(f"{given.count} files, exit codes {codes}, {1e3 * total / given.count:.1f} ms each, worst {worst.seconds:.2f} s "
          f"(seed {worst.seed}), {largest / 1e6:.0f} MB at most; {wrong} wrong")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
