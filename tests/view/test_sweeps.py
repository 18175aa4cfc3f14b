"""Pictures of sweeps: two knobs of numbers make maps, whose cells stand at their values."""
from types import SimpleNamespace

import numpy as np
from matplotlib.image import imread

from robotphi.scenario.sweep.grid import grid, parse_sweep
from robotphi.view import style, sweeps


def swept(words, figure):
    axes = parse_sweep(words)
    points = grid(axes, {})
    return SimpleNamespace(axes=axes, points=points, rows=[{"figures": {"f": figure(**point)}} for point in points], units={})


def test_two_knobs_of_numbers_are_drawn_as_a_map_with_each_value_in_its_place(tmp_path):
    found = swept(["x=3,1,2", "y=lin(0,1,3)"], lambda x, y: 10.0 * x + y)
    _, axes = style.new_figure(3.0, 3.0)
    sweeps._map(axes, found, "f", sweeps._figures(found)["f"], "")
    cells = axes.collections[0].get_array().reshape(3, 3)
    np.testing.assert_allclose(cells, 10.0 * np.array([1.0, 2.0, 3.0]) + np.array([[0.0], [0.5], [1.0]]))
    assert imread(sweeps.draw_sweep(found, tmp_path / "map.png")[0]).std() > 0.02


def test_words_and_few_values_are_drawn_as_curves():
    drawn = []
    for words in (["x=1,2,3", "y=0,1"], ["x=a,b,c", "y=lin(0,1,3)"]):
        found = swept(words, lambda x, y: 1.0)
        original, sweeps._panel = sweeps._panel, lambda *told: drawn.append(told[2])
        try:
            sweeps.draw_sweep(found, None)
        finally:
            sweeps._panel = original
    assert drawn == ["f", "f"]
