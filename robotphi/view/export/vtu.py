"""A series of VTU files with a .pvd that names their times, and another one of the contacts, which vary in number.

After the XML formats of VTK: unstructured grids whose arrays are appended as raw little-endian bytes, each behind its length.
"""
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from robotphi.record.files.drawn import drawn_of
from robotphi.scene.whole_file import whole_file

VERTEX, LINE, TRIANGLE = 1, 3, 5   # VTK's cell types
TYPES = {"f8": "Float64", "f4": "Float32", "i8": "Int64", "i4": "Int32", "u1": "UInt8"}
OF_CONTACTS = ("normal", "friction", "direction", "depth", "area", "energy", "first", "second", "sticks")


def write_series(stage, path, frames, quantities=()):
    """Write PATH.pvd and its files beside it; returns the paths of both .pvd files, of the second where things can touch.

    Args:
        stage: of the recording.
        frames: numbers of those to write.
        quantities: known quantities of particles that go along, {name: function of stage and frame}.
    """
    record, path = stage.recording, Path(path)
    drawn = drawn_of(stage.scene, record.position.shape[1])
    cells = _cells(len(drawn.owner), drawn.lines, drawn.polygons)
    made, digits = [], len(str(max(frames, default=0)))
    for name, grid in (("", _frame), ("contacts", _contacts)):
        if name and "contacts" not in record.rows:
            continue
        stem, entries = path.stem + (f"_{name}" if name else ""), []
        for frame in frames:
            file = path.with_name(f"{stem}_{frame:0{digits}}.vtu")
            write_grid(file, *grid(stage, int(frame), drawn, cells, quantities))
            entries.append(f'<DataSet timestep="{float(record.time[frame])!r}" part="0" file={quoteattr(file.name)}/>')
        made.append(path.with_name(stem + ".pvd"))
        made[-1].write_text('<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n'
                            "<Collection>\n" + "\n".join(entries) + "\n</Collection>\n</VTKFile>\n", encoding="utf-8")
    return made


def _cells(count, lines, polygons):
    """(connectivity, offsets, types) of vertices, lines and triangles."""
    parts = [(np.arange(count)[:, None], VERTEX), (lines, LINE), (polygons, TRIANGLE)]
    widths = np.concatenate([np.full(len(ends), ends.shape[1]) for ends, _ in parts])
    return (np.concatenate([ends.ravel() for ends, _ in parts]).astype("<i8"), np.cumsum(widths).astype("<i8"),
            np.concatenate([np.full(len(ends), kind, np.uint8) for ends, kind in parts]))


def _frame(stage, frame, drawn, cells, quantities):
    record = stage.recording
    values = {"velocity": record.velocity[frame], "object": drawn.owner,
              **{name: known.values(stage, frame) for name, known in dict(quantities).items()}}
    own = slice(frame, frame + 1)
    fields = {"TimeValue": record.time[own], **{name: each[own] for name, each in record.ledger.items()}}
    return record.position[frame], cells, values, fields


def _contacts(stage, frame, drawn, cells, quantities):
    rows = stage.recording.frame_rows("contacts", frame)
    count = len(rows["point"])
    values = {name: rows[name].astype(np.uint8) if rows[name].dtype == bool else rows[name] for name in OF_CONTACTS}
    empty = np.empty((0, 2), np.int64)
    return rows["point"], _cells(count, empty, empty), values, {"TimeValue": stage.recording.time[frame:frame + 1]}


def write_grid(path, points, cells, values, fields):
    """Write one file: `values` of points, `fields` of the whole."""
    body = []

    def array(name, data, more=""):
        data = np.ascontiguousarray(data)
        data = data.astype(data.dtype.newbyteorder("<"), copy=False)
        width = f' NumberOfComponents="{data.shape[1]}"' if data.ndim > 1 else ""
        begin = sum(8 + each.nbytes for each in body)
        body.append(data)
        return (f'<DataArray type="{TYPES[data.dtype.str[1:]]}" Name={quoteattr(name)}{width}{more} format="appended" '
                f'offset="{begin}"/>')

    text = ['<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
            'header_type="UInt64">\n<UnstructuredGrid>\n<FieldData>',
            *(array(name, each, f' NumberOfTuples="{len(each)}"') for name, each in fields.items()),
            f'</FieldData>\n<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells[1])}">\n<PointData>',
            *(array(name, each) for name, each in values.items()), "</PointData>\n<Points>", array("Points", points),
            "</Points>\n<Cells>", *(array(*each) for each in zip(("connectivity", "offsets", "types"), cells, strict=True)),
            '</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_']
    with whole_file(path) as part, open(part, "wb") as file:
        file.write("\n".join(text).encode())
        for each in body:
            file.write(np.uint64(each.nbytes).astype("<u8").tobytes())
            file.write(each.tobytes())
        file.write(b"\n</AppendedData>\n</VTKFile>\n")
