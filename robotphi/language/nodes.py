"""Nodes: what stands in a scene file, each with its place; from the events of the YAML parser alone.

Scalars are our own: 1e5 is a number, on and yes are texts, and so is what stands in quotes. Aliases, tags and merge keys are
refused, and all is counted while it is read, so that a few words cannot fill the memory.
"""
import math
import re
from dataclasses import dataclass, field

import yaml

from robotphi.errors import SceneFileError

MOST_BYTES = 16 * 2**20   # of one file
MOST_NODES = 200_000      # of all files together
DEEPEST = 60              # lists and mappings within each other
MOST_FILES = 32
SHORT = 60                # letters of a value that a message shows
WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]{0,300})")
FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
WORDS = {"": None, "null": None, "~": None, "true": True, "false": False, ".inf": math.inf, "+.inf": math.inf,
         "-.inf": -math.inf, ".nan": math.nan}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)   # of both only the events are used


@dataclass(slots=True, eq=False)
class Node:
    """A scalar, a list of nodes or a mapping from texts to nodes.

    Attributes:
        value: None, bool, int, float or str; a list; a dict.
        file, line, column: where it begins, counted from 1.
        keys: of a mapping, text → the node of the key.
    """
    value: object
    file: str
    line: int
    column: int
    keys: dict = field(default_factory=dict)

    @property
    def is_map(self):
        return type(self.value) is dict

    @property
    def is_list(self):
        return type(self.value) is list

    @property
    def is_text(self):
        return type(self.value) is str

    def told(self):
        """The value for people, shortly."""
        if self.is_map or self.is_list:
            return f"a {'mapping' if self.is_map else 'list'} of {len(self.value)}"
        text = repr(self.value)
        return text if len(text) <= SHORT else f"{text[:SHORT]}…"

    def key(self, name):
        """The node of a key; its place is that of an unknown word."""
        return self.keys.get(name, self)


def text_at(node, text):
    """A text with the place of a node, such as a key's."""
    return Node(text, node.file, node.line, node.column)


def fail(node, problem, remedy=""):
    """Refuse what stands at a node, with its place and what would work."""
    raise SceneFileError(f"{node.file}:{node.line}:{node.column}: {problem}{'; ' if remedy else ''}{remedy}")


class Counter:
    """How much has been read of all files of a scene."""

    def __init__(self):
        self.nodes = self.files = 0

    def file(self, where):
        self.files += 1
        if self.files > MOST_FILES:
            raise SceneFileError(f"{where}: more than {MOST_FILES} files are included; put several into one")

    def node(self, node):
        self.nodes += 1
        if self.nodes > MOST_NODES:
            fail(node, f"more than {MOST_NODES} values", "put long arrays beside it: {file: arrays.npz#name}")


def read_nodes(path, counter):
    """The mapping that a file holds."""
    name = str(path)
    counter.file(name)
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SceneFileError(f"{name}: it cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise SceneFileError(f"{name!r}: it cannot be read ({error})") from error
    if len(data) > MOST_BYTES:
        raise SceneFileError(f"{name}: more than {MOST_BYTES >> 20} MiB; put long arrays beside it: {{file: arrays.npz#name}}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SceneFileError(f"{name}:{line}: byte {data[error.start]:#x} is no UTF-8; save it as UTF-8") from error
    return nodes_of(text, name, counter)


def nodes_of(text, name, counter):
    """The mapping that a text holds; `name` is what messages call it."""
    try:
        root = _tree(yaml.parse(text, Loader=LOADER), name, counter)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).partition("\n")[0]
        raise SceneFileError(f"{name}{place}: this is no YAML: {what}; indent by spaces, close brackets and quotes, and put "
                             "texts with : or # into quotes") from error
    if root is None or not root.is_map:
        raise SceneFileError(f"{name}: it holds {root.told() if root else 'nothing'}; a scene file begins with `robotphi: 1`")
    return root


def _tree(events, name, counter):
    """The root node of a stream of events, None of an empty one."""
    root, open_nodes, waiting = None, [], []   # waiting: keys of open mappings whose value comes next
    for event in events:
        if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            open_nodes.pop()
            waiting.pop()
            continue
        if isinstance(event, yaml.AliasEvent):
            fail(_at(None, event, name), f"the alias *{event.anchor}", "name what is shared in define:, and use its name")
        if not isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                fail(_at(None, event, name), "a second document", "a file holds one scene; include: others")
            continue
        node = _node(event, name)
        counter.node(node)
        root = root or node
        if open_nodes:
            _put(open_nodes[-1], waiting, node)
        if not isinstance(event, yaml.ScalarEvent):
            if len(open_nodes) >= DEEPEST:
                fail(node, f"more than {DEEPEST} brackets or indents within each other", "name inner parts in define:")
            open_nodes.append(node)
            waiting.append(None)
    return root


def _node(event, name):
    if event.anchor is not None:
        fail(_at(None, event, name), f"the anchor &{event.anchor}", "name what is shared in define:, and use its name")
    if event.tag is not None:
        fail(_at(None, event, name), f"the tag {event.tag}", "leave it out: values are what they look like")
    if isinstance(event, yaml.ScalarEvent):
        plain = event.style is None or event.style == ""
        return _at(scalar(event.value) if plain else event.value, event, name)
    return _at([] if isinstance(event, yaml.SequenceStartEvent) else {}, event, name)


def _at(value, event, name):
    return Node(value, name, event.start_mark.line + 1, event.start_mark.column + 1)


def _put(holder, waiting, node):
    """Give a node to the list or mapping that is open."""
    if holder.is_list:
        holder.value.append(node)
    elif waiting[-1] is None:
        if node.is_map or node.is_list:
            fail(node, "a key that is a list or a mapping", "keys are words; put texts with { or [ into quotes")
        key = node.value if node.is_text else _text_of(node.value)
        if key == "<<":
            fail(node, "the merge key <<", "name what is shared in define:, and use its name")
        if key in holder.value:
            fail(node, f"{key!r} stands twice, first in line {holder.keys[key].line}", "call one of them otherwise")
        waiting[-1] = key
        holder.keys[key] = node
    else:
        holder.value[waiting[-1]] = node
        waiting[-1] = None


def _text_of(value):
    return {None: "null", True: "true", False: "false"}.get(value, str(value)) if not isinstance(value, (int, float)) or \
        isinstance(value, bool) else str(value)


def scalar(text):
    """What a plain word of YAML stands for."""
    if text in WORDS:
        return WORDS[text]
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if FLOAT.fullmatch(text) and not _padded(text) else text


def _padded(text):
    """Whether a number begins like 010, which others read as 8."""
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
