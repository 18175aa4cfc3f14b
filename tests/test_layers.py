
"""Who may import whom: imports go one way, so that every part can be read without the parts that use it."""
import ast
import sys
from functools import cache

from tests import ROOT

# A module may import from the lines before its own, and from its own part; "robotphi" is the public front, `__init__`.
ORDER = ("errors", "kernels", "scene", "geometry", "discretise", "urdf", "language", "model", "record", "run", "gym",
         "robotphi", "applications", "verification", "view", "scenario", "commands", "__main__", "identification", "scenarios")
OUTSIDE = ("robotphi", "identification", "scenarios")
KERNEL_LIBRARIES = {"numpy", "numba", "llvmlite"}
SCENE_PARTS = {"scene", "errors"}
TABLES = {"robotphi.kernels.mechanism.kinds", "robotphi.kernels.springs.table"}  # names and numbers alone, for a scene as well
ACTS_DECLARED = {"robotphi.scene.acts": {"robotphi.kernels.acts.fields", "robotphi.kernels.acts.table"}}
DRAWING = {"matplotlib", "pyvista"}
# What a notebook asks of a recording by a name that is not ours to choose, `_repr_html_`; it is loaded then.
ASKED = {"robotphi.record.recording imports robotphi.view.page"}


def sources():
    found = []
    for folder in OUTSIDE:
        found += sorted((ROOT / folder).rglob("*.py"))
    return found


def sources_of(part):
    return sorted((ROOT / "robotphi" / part).rglob("*.py"))


def part_of(module):
    """The line of ORDER to which a dotted module name belongs."""
    words = module.split(".")
    return words[1] if words[0] == "robotphi" and len(words) > 1 else words[0]


def module_name(path):
    words = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


def is_module(name):
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports(tree, module, is_package):
    """Dotted names of all that a file imports, wherever in the file it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                words = module.split(".")
                words = words[:len(words) - node.level + is_package]
                base = ".".join([*words, *([node.module] if node.module else [])])
            for each in node.names:
                if each.name == "__version__":
                    continue  # a literal, not a part
                inner = f"{base}.{each.name}"
                yield inner if base.split(".")[0] in OUTSIDE and is_module(inner) else base


@cache
def imported(path):
    module = module_name(path)
    return module, set(imports(ast.parse(path.read_text(encoding="utf-8")), module, path.name == "__init__.py"))


def crossings(module, names):
    """Imports of a module that go against the order."""
    part = part_of(module)
    for name in sorted(names):
        other = part_of(name)
        if name.split(".")[0] in OUTSIDE and other != part and ORDER.index(other) > ORDER.index(part):
            yield f"{module} imports {name}"


def test_a_module_imports_only_what_stands_before_it():
    found = [imported(path) for path in sources()]
    homeless = [module for module, _ in found if part_of(module) not in ORDER]
    assert not homeless, "they have no place in the order of the layers: give them one in ORDER"
    assert {crossing for module, names in found for crossing in crossings(module, names)} == ASKED


def test_kernels_import_nothing_of_ours_but_kernels():
    allowed = {*KERNEL_LIBRARIES, *sys.stdlib_module_names}
    for module, names in map(imported, sources_of("kernels")):
        strange = [name for name in names if name.split(".")[0] not in allowed and not name.startswith("robotphi.kernels")]
        assert not strange, module


def test_a_scene_knows_errors_tables_and_nothing_else_of_ours():
    for module, names in map(imported, sources_of("scene")):
        names -= TABLES | ACTS_DECLARED.get(module, set())
        assert {part_of(name) for name in names if name.startswith("robotphi")} <= SCENE_PARTS, module


def test_a_table_needs_nothing_but_numpy():
    for module in sorted(TABLES):
        names = imported(ROOT.joinpath(*module.split(".")).with_suffix(".py"))[1]
        assert {name.split(".")[0] for name in names} <= {"numpy"} | sys.stdlib_module_names, module


def test_only_view_and_scenarios_draw():
    for path in sources():
        module, names = imported(path)
        if part_of(module) not in ("view", "scenarios"):
            assert not {name.split(".")[0] for name in names} & DRAWING, module


def test_the_simulator_never_imports_identification():
    for path in sources_of(""):
        assert not any(name.split(".")[0] == "identification" for name in imported(path)[1]), path


def test_an_import_against_the_order_is_seen():
    tree = ast.parse("from ..view import graphs\nfrom robotphi import errors\nimport robotphi.commands.cli\n")
    names = set(imports(tree, "robotphi.kernels.spring", False))
    assert names == {"robotphi.view.graphs", "robotphi.errors", "robotphi.commands.cli"}
    assert list(crossings("robotphi.kernels.spring", names)) == [
        "robotphi.kernels.spring imports robotphi.commands.cli", "robotphi.kernels.spring imports robotphi.view.graphs"]
