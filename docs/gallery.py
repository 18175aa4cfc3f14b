"""Makes docs/gallery.md and its pictures, one for each scenario, from the recordings that these leave in runs/.

    python docs/gallery.py [NAME …]      all of them unless told; what has no recording is run first
"""
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from robotphi.record.recording import Recording
from robotphi.scenario.file import load_scenario
from robotphi.view.movies import frame_of, plotter_of
from robotphi.view.player import Player
from robotphi.view.stage import Stage

ROOT = Path(__file__).resolve().parents[1]
RUNS, FOLDER, PAGE = ROOT / "runs", ROOT / "docs" / "gallery", ROOT / "docs" / "gallery.md"
DRAWN, SIZE = (720, 450), (480, 300)   # pixels, drawn larger than kept
LARGEST = 60_000                        # bytes
COLUMNS = 3
HEAD = """# Gallery

One picture of each scenario, from its recording; `make gallery` makes them anew. `robotphi run NAME` makes the recording,
`robotphi view` plays it. What each is checked against stands in [scenarios](../scenarios/README.md).
"""
# Where the first recording at its middle, seen obliquely in the colours of its things, shows too little: part of the
# recording's name, instant [s], colour, look, groups that are switched, whether only what there is then has to fit.
CHOSEN = {
    "arm_pushes_cylinder": {"near": True},
    "billiards": {"near": True, "time": 1.5},
    "block_slide": {"time": 0.8, "near": True},
    "bouncing_ball": {"time": 1.25, "switched": ["trajectories"], "look": "front"},
    "cable": {"part": "1_2"},
    "cantilever": {"part": "a_5_16", "time": 0.2},
    "cloth_study": {"colour": "strain", "time": 1.0},
    "cloth_waves": {"colour": "speed"},
    "cradle": {"part": "hanging"},
    "discretisations": {"near": True},
    "double_pendulum": {"time": 1.0, "switched": ["trajectories"], "look": "front"},
    "falling_plate": {"part": "heavy_edge", "near": True, "time": 0.5},
    "goal_attraction": {"part": "path", "switched": ["trajectories"]},
    "grasp_friction": {"near": True},
    "grasping": {"part": "sphere_tip_0_8", "near": True},
    "hanging_chain": {"time": 0.35, "colour": "strain"},
    "image_effects": {"part": "vibration", "time": 0.8, "near": True},
    "jelly_cube": {"near": True},
    "obstacle_avoidance": {"part": "free", "switched": ["trajectories"], "look": "top"},
    "passive_arm": {"part": "drawn", "switched": ["trajectories"]},
    "peg_in_hole": {"part": "tight", "near": True, "look": "front"},
    "pneumatic_finger": {"part": "large", "time": 0.6, "colour": "strain"},
    "pyramid_on_table": {"time": 0.2, "near": True},
    "rope_knot": {"part": "knot_0_6", "near": True, "look": "front"},
    "rover": {"part": "stones", "time": 9.0, "near": True},
    "soft_gripper": {"part": "70_kPa", "time": 0.6, "near": True, "look": "front"},
    "soft_bar": {"part": "torsion_8", "time": 0.02, "colour": "displacement"},
    "servo_arm": {"near": True, "switched": ["trajectories"], "look": "front"},
    "sphere_into_soft": {"near": True, "colour": "height"},
    "spring_pendulum": {"switched": ["trajectories"]},
    "stack": {"part": "arch"},
    "table": {"part": "36", "time": 0.01, "colour": "displacement"},
    "tendon_finger": {"near": True},
    "tumbling": {"part": "hills", "near": True, "time": 2.0},
    "two_masses": {"part": "verlet_ledger", "colour": "speed"},
}


def draw(name, folder):
    """The picture of a scenario from the recordings in its folder; returns its path."""
    how = CHOSEN.get(name, {})
    files = sorted(folder.glob("recording*.vtkhdf"))
    recording = Recording.load(next(file for file in files if how.get("part", "") in file.stem))
    frame = frame_of(recording, how.get("time", float(recording.time[[0, -1]].mean())))
    plotter = plotter_of(True)
    plotter.window_size = DRAWN
    player = Player(Stage(recording), plotter, how.get("colour"))
    player.show(frame)
    for group in how.get("switched", ()):
        player.toggle(group)
    player.look(how.get("look", "oblique"), bounds_at(player.cast, frame) if how.get("near") else None)
    plotter.remove_actor("when")
    image = Image.fromarray(plotter.screenshot(return_img=True)).resize(SIZE, Image.Resampling.LANCZOS)
    plotter.close()
    path = FOLDER / f"{name}.webp"
    image.save(path, quality=85, method=6)
    assert path.stat().st_size <= LARGEST, f"{path} has {path.stat().st_size} bytes"
    return path


def bounds_at(cast, frame):
    """(2, 3) m of what is drawn of things at a frame."""
    drawn = [cast.springs, cast.bars, cast.dots, cast.held, cast.spheres, *(one.facets for one in cast.surfaces)]
    at = cast.points(frame)[np.unique(np.concatenate([np.ravel(part).astype(int) for part in drawn]))]
    return np.array([at.min(axis=0), at.max(axis=0)])


def write_page(names):
    """The page: pictures in rows, each with what its scenario shows."""
    rows = [HEAD, "|" + " |" * COLUMNS, "|" + "---|" * COLUMNS]
    for first in range(0, len(names), COLUMNS):
        cells = [f"![{name}](gallery/{name}.webp)<br>`{name}`: {load_scenario(name).summary.rstrip('.')}"
                 for name in names[first:first + COLUMNS]]
        rows.append("| " + " | ".join(cells) + " |" + " |" * (COLUMNS - len(cells)))
    PAGE.write_text("\n".join(rows) + "\n", encoding="utf-8")


def main(wanted):
    names = sorted(path.stem for path in (ROOT / "scenarios").glob("*.py"))
    FOLDER.mkdir(exist_ok=True)
    for name in wanted or names:
        if not any((RUNS / name).glob("recording*.vtkhdf")):
            words = ["run", name, "--no-view", "--out", RUNS / name]
            subprocess.run([sys.executable, "-m", "robotphi", *words], check=True, cwd=ROOT)
        path = draw(name, RUNS / name)
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.1f} kB")
    write_page(names)


if __name__ == "__main__":
    main(sys.argv[1:])
