"""Every scenario is run and each of its recordings replayed: the same bytes in every frame.

    python -m tests.record.replay_all                      all of them, half an hour
    python -m tests.record.replay_all pinch cradle         some of them
    python -m tests.record.replay_all --folder runs        recordings that are there, wherever they lie below a folder
"""
import argparse
import tempfile
from pathlib import Path

from robotphi import Recording
from robotphi.run.replay import replay
from robotphi.scenario import list_scenarios, load_scenario, perform


def tell(path, name):
    """Print what came of one recording; returns whether all is well."""
    found, _ = replay(Recording.load(path))
    said = "the same bytes" if found is None else f"frame {found[0]} differs in {found[1]}"
    print(f"{name}: {path.name}, {said}", flush=True)
    return found is None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=Path)
    given, well = parser.parse_args(), []
    if given.folder:
        well = [tell(path, path.parent.name) for path in sorted(given.folder.rglob("*.vtkhdf"))]
    for name in () if given.folder else given.names or list_scenarios():
        with tempfile.TemporaryDirectory() as folder:
            perform(load_scenario(name), {}, Path(folder), view=False)
            well += [tell(path, name) for path in sorted(Path(folder).glob("*.vtkhdf"))]
    print(f"{len(well)} recordings, {well.count(False)} differ")
    raise SystemExit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
