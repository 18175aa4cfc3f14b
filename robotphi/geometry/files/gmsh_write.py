"""gmsh files of versions 4.1 and 2.2: what `gmsh_read` reads comes out the same, in the same order."""
import numpy as np

from robotphi.geometry.files.gmsh_parts import DIMENSION, KIND
from robotphi.geometry.files.raw import fail, text

CODE = {kind: code for code, kind in KIND.items()}


def _groups(mesh):
    """[(dimension, name, {kind: rows})]; "point" is a kind here. Regions that the reader finds by itself are left out."""
    groups = []
    for name, by_kind in mesh.cell_regions.items():
        for dimension in sorted({DIMENSION[kind] for kind in by_kind} or {_largest(mesh)}):
            groups.append((dimension, name, {kind: rows for kind, rows in by_kind.items() if DIMENSION[kind] == dimension}))
    for name, rows in mesh.regions.items():
        own = [mesh.cells[kind][cells].reshape(-1) for kind, cells in mesh.cell_regions.get(name, {}).items()]
        if name not in mesh.cell_regions or not np.array_equal(np.unique(rows), np.unique(np.concatenate([rows[:0], *own]))):
            groups.append((0, name, {"point": np.unique(rows)}))
    bad = next((name for _, name, _ in groups if '"' in name or "\n" in name or not name), None)
    if bad is not None:
        fail(f"a region is named {bad!r}", "gmsh takes names without quotation marks")
    return groups


def _largest(mesh):
    return max(DIMENSION[kind] for kind in mesh.cells)


def _blocks(mesh):
    """Groups, {dimension: [groups of each entity]} and {kind: (rows, tags, entity of each row)}.

    Cells of one dimension that are in the same groups make one entity.
    """
    if not mesh.cells:
        fail("the mesh has no cells", "give it some")
    groups = _groups(mesh)
    listed = [rows for _, _, by_kind in groups for kind, rows in by_kind.items() if kind == "point"]
    points = np.unique(np.concatenate(listed)) if listed else np.empty(0, np.int64)
    cells = {"point": points[:, None], **mesh.cells} if len(points) else dict(mesh.cells)
    entities, made, tag = {}, {}, 1
    for dimension in range(4):
        kinds = [kind for kind in cells if DIMENSION[kind] == dimension]
        own = [(number, by_kind) for number, (of, _, by_kind) in enumerate(groups) if of == dimension]
        member = {kind: np.zeros((len(cells[kind]), len(own)), bool) for kind in kinds}
        for column, (_, by_kind) in enumerate(own):
            for kind, rows in by_kind.items():
                member[kind][np.searchsorted(points, rows) if kind == "point" else rows, column] = True
        if kinds:
            sets, place = np.unique(np.concatenate(list(member.values())), axis=0, return_inverse=True)
            entities[dimension] = [[own[column][0] for column in np.flatnonzero(one)] for one in sets]
            place = np.split(place.reshape(-1), np.cumsum([len(cells[kind]) for kind in kinds])[:-1])
            for kind, entity in zip(kinds, place, strict=True):
                made[kind] = cells[kind], np.arange(tag, tag + len(entity)), entity
                tag += len(entity)
    return groups, entities, made


def _head(version, binary, groups):
    first = np.array([1], "<i4").tobytes() + b"\n" if binary else b""
    lines = [f'{dimension} {number + 1} "{name}"' for number, (dimension, name, _) in enumerate(groups)]
    names = "\n".join(["$PhysicalNames", str(len(lines)), *lines, "$EndPhysicalNames\n"]) if lines else ""
    return f"$MeshFormat\n{version} {int(binary)} 8\n".encode() + first + b"$EndMeshFormat\n" + names.encode()


def _numbers(binary, *lines):
    """Lines of (type, numbers) parts; a part that is a table makes lines of its own."""
    if binary:
        return b"".join(np.asarray(numbers).astype("<" + code).tobytes() for line in lines for code, numbers in line)
    form = {"f8": "%.17g", "i4": "%d", "u8": "%d"}
    return b"".join(text(line[0][1], form[line[0][0]]) if np.ndim(line[0][1]) == 2 else
                    b" ".join([text([numbers], form[code]).strip() for code, numbers in line if len(numbers)]) + b"\n"
                    for line in lines)


def write(mesh, binary):
    groups, entities, made = _blocks(mesh)
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    lines = [[("u8", [len(entities.get(dimension, ())) for dimension in range(4)])]]
    for dimension, sets in entities.items():
        for number, of in enumerate(sets):
            box = low if dimension == 0 else np.concatenate([low, high])
            lines.append([("i4", [number + 1]), ("f8", box), ("u8", [len(of)]), ("i4", np.array(of, np.int64) + 1),
                          ("u8", [0] if dimension else [])])
    body = _section("Entities", _numbers(binary, *lines), binary)
    count = len(mesh.points)
    lines = [[("u8", [1, count, 1, count])], [("i4", [_largest(mesh), 1, 0]), ("u8", [count])],
             [("u8", np.arange(1, count + 1)[:, None])], [("f8", mesh.points)]]
    body += _section("Nodes", _numbers(binary, *lines), binary)
    lines, blocks = [], 0
    for kind, (rows, tag, entity) in made.items():
        for number in np.unique(entity).tolist():
            some = entity == number
            lines += [[("i4", [DIMENSION[kind], number + 1, CODE[kind]]), ("u8", [int(some.sum())])],
                      [("u8", np.column_stack([tag[some], rows[some] + 1]))]]
            blocks += 1
    total = sum(len(rows) for rows, _, _ in made.values())
    body += _section("Elements", _numbers(binary, [("u8", [blocks, total, 1, total])], *lines), binary)
    return _head("4.1", binary, groups) + body


def write_old(mesh, binary):
    """Version 2.2: an element that is in several groups is written once for each of them, as gmsh does."""
    groups, entities, made = _blocks(mesh)
    count = len(mesh.points)
    tags = np.arange(1, count + 1)
    if binary:
        nodes = np.zeros(count, [("tag", "<i4"), ("point", "<f8", 3)])
        nodes["tag"], nodes["point"] = tags, mesh.points
        nodes = nodes.tobytes()
    else:
        lines = zip(text(tags[:, None], "%d").splitlines(), text(mesh.points).splitlines(), strict=True)
        nodes = b"".join(b"%b %b\n" % pair for pair in lines)
    written, total = [], 0
    spare = 1 + sum(len(rows) for rows, _, _ in made.values())
    for kind, (rows, tag, entity) in made.items():
        for number, of in enumerate(entities[DIMENSION[kind]]):
            some = np.flatnonzero(entity == number)
            for time, group in enumerate((of or [-1]) if len(some) else []):
                own = tag[some] if time == 0 else np.arange(spare, spare + len(some))
                spare += len(some) if time else 0
                head = [] if binary else [np.full((len(some), 2), (CODE[kind], 2))]
                block = np.column_stack([own, *head, np.full((len(some), 2), (group + 1, number + 1)), rows[some] + 1])
                written += [[("i4", [CODE[kind], len(some), 2])]] * binary + [[("i4", block)]]
                total += len(some)
    body = _section("Nodes", b"%d\n" % count + nodes, binary)
    body += _section("Elements", b"%d\n" % total + _numbers(binary, *written), binary)
    return _head("2.2", binary, groups) + body


def _section(name, data, binary):
    return b"$%b\n%b%b$End%b\n" % (name.encode(), data, b"\n" if binary else b"", name.encode())


