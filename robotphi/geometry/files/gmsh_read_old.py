"""gmsh files of version 2.2: an element in several groups stands there several times, and is kept once."""
import numpy as np

from robotphi.geometry.files.gmsh_parts import CORNERS, DIMENSION, kind_of
from robotphi.geometry.files.raw import fail, whole


def nodes(numbers_, binary):
    """Tags (n,) and points (n, 3)."""
    if not binary:
        count = numbers_.one("i4")
        if numbers_.left != 4 * count:
            fail(f"$Nodes should hold {count} lines of four numbers and has {numbers_.left} numbers",
                 "it was cut short: save it anew")
        rows = numbers_.take("f8", 4 * count).reshape(count, 4)
        return whole(rows[:, 0], "$Nodes"), rows[:, 1:]
    count, data = _count_line(numbers_)
    row = np.dtype([("tag", numbers_.order + "i4"), ("point", numbers_.order + "f8", 3)])
    if count * row.itemsize > len(data):
        fail(f"$Nodes should hold {count} nodes and ends before them", "it was cut short: save it anew")
    rows = np.frombuffer(data, row, count)
    return rows["tag"].astype(np.int64), rows["point"].astype(np.float64)


def _count_line(numbers_):
    line, _, data = numbers_.data.partition(b"\n")
    if not line.strip().isdigit():
        fail(f"{numbers_.what} begins with {line[:20]!r} instead of a count", "save the file anew")
    return int(line), data


def elements(numbers_, binary):
    """{kind: (tags, rows of nodes)} and {(dimension, group): {kind: [tags]}}."""
    found = {}
    if binary:
        total, numbers_.data = _count_line(numbers_)
        done = 0
        while done < total:
            code, count, tags = numbers_.take("i4", 3).tolist()
            width = 1 + tags + CORNERS[kind_of(code)]
            found.setdefault(kind_of(code), []).append(_row(numbers_.take("i4", count * width).reshape(count, width), tags))
            done += count
    else:
        total = numbers_.one("i4")
        for kind, tags, rows in _lines(numbers_, total):
            found.setdefault(kind, []).append(_row(np.delete(rows, [1, 2], axis=1), tags))
    cells, members = {}, {}
    for kind, rows in found.items():
        rows = np.concatenate(rows)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        tag, group, corners = rows[:, 0], rows[:, 1], rows[:, 2:]
        _, first, place = np.unique(corners, axis=0, return_index=True, return_inverse=True)
        own = tag[first][place.reshape(-1)]  # the tag under which the same row came first
        alike = own != tag
        for one in np.unique(group[group > 0]).tolist():
            members.setdefault((DIMENSION[kind], one), {}).setdefault(kind, []).append(np.unique(own[group == one]))
        cells[kind] = tag[~alike], corners[~alike]
    return cells, members


def _row(rows, tags):
    """Rows of tag, physical group (0 for none) and corners."""
    group = np.abs(rows[:, 1:2]) if tags else np.zeros((len(rows), 1), np.int64)
    return np.concatenate([rows[:, :1], group, rows[:, 1 + tags:]], axis=1)


def _lines(numbers_, total):
    """(kind, tags, rows) of lines "tag type tags … corners", many alike at a time."""
    done, data = 0, whole(numbers_.data, numbers_.what)
    while done < total:
        if numbers_.left < 3:
            fail(f"$Elements should hold {total} elements and has {done}", "it was cut short: save it anew")
        code, tags = data[numbers_.place + 1:numbers_.place + 3].tolist()
        kind, run, stride = kind_of(code), 0, 64
        width = 3 + tags + CORNERS[kind]
        while 0 <= tags <= numbers_.left and done + run < total:
            start = numbers_.place + run * width
            size = min(stride, total - done - run, (len(data) - start) // width)
            rows = data[start:start + size * width].reshape(size, width)
            other = (rows[:, 1] != code) | (rows[:, 2] != tags)
            same = int(np.argmax(other)) if other.any() else size
            run, stride = run + same, 4 * stride
            if same < size or size == 0:
                break
        rows = numbers_.take("i4", max(run, 1) * width).reshape(-1, width)
        yield kind, tags, rows
        done += len(rows)
