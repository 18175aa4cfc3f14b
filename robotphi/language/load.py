"""Scene files: read once, built as often as wanted, each time with other parameters."""
import numbers
from pathlib import Path

from robotphi.errors import SceneFileError
from robotphi.language.bind import Context, performed
from robotphi.language.blocks import SECTIONS, checked_keys, defined, say
from robotphi.language.fields import fields_of
from robotphi.language.figures import figures_of
from robotphi.language.files import Files
from robotphi.language.kinds import read
from robotphi.language.limits import Counts
from robotphi.language.nodes import Counter, Node, fail, read_nodes
from robotphi.language.parameters import parameters_of
from robotphi.language.recorded import words_of
from robotphi.language.scope import Defined, Scope, nearest
from robotphi.scene.scene import Scene

VERSION = 1
OF_SCENE = ("duration", "frames", "frame_interval", "gravity", "stepping")
OF_ALL = ("robotphi", "about", "include", "parameters", "parts", *SECTIONS)
OF_MAIN = ("scene", *OF_SCENE, "figures", "record")


class SceneFile:
    """A scene file with all that it includes.

    Attributes:
        path: of the file.
        about: what it says of itself.
        keep: what is to stay in recordings of it, as `Simulator.run(keep=…)` takes it; () for all.
        roots: the mappings of all files, those included first.
        made: name → thing of what stands in define: and was used by the scene that was built last.
    """

    def __init__(self, path, allow=()):
        self.path = Path(path)
        self.files = Files(path, allow)
        self.roots, self._counter, self.made = [], Counter(), {}
        self._read(self.path, None, ())
        self.main = self.roots[-1]
        self.about = _told(self.main, "about")
        self.keep = words_of(_section(self.main, "record"))
        if "scene" not in self.main.value:
            fail(self.main, "the scene has no name", "give scene: and a name")

    def _read(self, path, node, above):
        """A file and, before it, those that it includes, each once."""
        root = read_nodes(path, self._counter)
        _check_version(root)
        checked_keys(root, OF_ALL if above else (*OF_ALL, *OF_MAIN), "an included file" if above else "a scene file")
        included = root.value.get("include", Node([], "", 0, 0))
        for each in included.value if included.is_list else [included]:
            if not each.is_text:
                fail(each, f"include: {each.told()}", "give names of files, such as [materials.yaml]")
            found = self.files.path(each, each.value)
            if str(found) in (*above, str(Path(path).resolve())):
                fail(each, f"{each.value!r} includes itself", "let files include others alone")
            if str(found) not in [str(Path(one.file).resolve()) for one in self.roots]:
                self._read(found, each, (*above, str(Path(path).resolve())))
        self.roots.append(root)

    def parameters(self, **values):
        """Name → Parameter, with values set."""
        return self._begin(values)[1]

    def _begin(self, values):
        """(context, parameters): what every block of this file starts from."""
        context = Context(self.files, Scope(), None, Counts())
        given = {name: (None, _plain(name, value)) for name, value in values.items()}
        known = [name for root in self.roots for name in _section(root, "parameters").value]
        for name in given:
            if name not in known:
                raise SceneFileError(f"{self.path}: there is no parameter {name!r}; {nearest(name, known)}")
        found = {}
        for root in self.roots:
            found |= parameters_of(_section(root, "parameters"), context, given)
        for root in self.roots:
            if "define" in root.value:
                defined(root.value["define"], context.scope)
        return context, found

    def build(self, **values):
        """The Scene, with parameters set."""
        context, _ = self._begin(values)
        given = {name: read(field.kind, self.main.value[name], field, context)
                 for name, field in fields_of("Scene").items() if name in self.main.value}
        name = read("text", self.main.value["scene"], fields_of("Scene")["name"], context)
        context.scene = performed(Scene, {"name": name, **given}, self.main, "scene")
        parts = self._parts(context.scope)
        for root in self.roots:
            body = Node({each: root.value[each] for each in root.value if each in SECTIONS and each != "define"}, root.file,
                        root.line, root.column, root.keys)
            say(body, context, parts)
        self.figures(context.scene)
        self.made = {name: each.value for name, each in context.scope.values.items()
                     if isinstance(each, Defined) and each.state == "made"}
        return context.scene

    def figures(self, scene):
        """Name → Figure of a scene."""
        return figures_of(_section(self.main, "figures"), scene)

    def _parts(self, scope):
        found = {}
        for root in self.roots:
            for name, part in _section(root, "parts").value.items():
                checked_keys(part, ("about", "parameters", *SECTIONS), f"part {name}")
                if name in found:
                    fail(root.value["parts"].key(name), f"the part {name!r} stands twice", "call one of them otherwise")
                found[name] = part, scope
        return found


def read_scene(path, set=None, allow=()):
    """The Scene that a file says.

    Args:
        path: of the YAML file.
        set: {parameter: value}.
        allow: folders, beside that of the file, from which it may read.
    """
    return SceneFile(path, allow).build(**(set or {}))


def _check_version(root):
    version = root.value.get("robotphi")
    if version is None:
        fail(root, "the file has no version", f"begin it with robotphi: {VERSION}")
    if version.value != VERSION or isinstance(version.value, bool):
        fail(version, f"version {version.told()} of the language", f"this reads version {VERSION}")


def _section(root, name):
    found = root.value.get(name)
    if found is None or found.value is None:
        return Node({}, root.file, root.line, root.column)
    if not found.is_map:
        fail(found, f"{name}: is {found.told()}", "give {name: …}")
    return found


def _told(root, name):
    found = root.value.get(name)
    return "" if found is None else found.value if found.is_text else fail(found, f"{name} is {found.told()}", "give a text")


def _plain(name, value):
    if isinstance(value, (bool, str, list)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise SceneFileError(f"parameter {name!r} is {value!r:.60}; give a number, a text, true or false")
