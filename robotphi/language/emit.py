"""Text of a scene file: what people would write by hand, lines of at most WIDE letters, short mappings in braces."""
import json
import math
import re

import numpy as np

from robotphi.language.nodes import WORDS, scalar

WIDE = 118
PLAIN = re.compile(r"[^\W\d][\w .+/()°²³µ-]*", re.UNICODE)
EXPRESSION = re.compile(r"= [\w.+*/() -]+")


def text_of(document):
    """The text of a mapping: its keys one below the other, blank lines between those that hold much."""
    lines = []
    for key, value in document.items():
        own = _entry(_scalar(key), value, 0)
        if lines and (len(own) > 1 or lines[-1].startswith(" ")):
            lines.append("")
        lines += own
    return "\n".join(lines) + "\n"


def _entry(label, value, indent):
    """Lines of `label: value`."""
    room = WIDE - indent - len(label) - 2
    blank = " " * indent
    flow = _flow(value, room)
    section = indent == 0 and isinstance(value, dict) and any(isinstance(one, dict) for one in value.values())
    if flow is not None and not section:
        return [f"{blank}{label}: {flow}"]
    if isinstance(value, dict) and value:
        return [f"{blank}{label}:", *(line for key, one in value.items() for line in _entry(_scalar(key), one, indent + 2))]
    if isinstance(value, (list, tuple)) and any(isinstance(one, (dict, list, tuple)) for one in value):
        return [f"{blank}{label}:", *(line for one in value for line in _item(one, indent + 2))]
    return _wrapped(f"{blank}{label}: [", value, indent + 2)


def _item(value, indent):
    """Lines of one item of a list."""
    blank = " " * indent
    flow = _flow(value, WIDE - indent - 2)
    if flow is not None:
        return [f"{blank}- {flow}"]
    if isinstance(value, dict) and value:
        lines = [line for key, one in value.items() for line in _entry(_scalar(key), one, indent + 2)]
        return [f"{blank}- {lines[0].lstrip()}", *lines[1:]]
    if isinstance(value, (list, tuple)) and any(isinstance(one, (dict, list, tuple)) for one in value):
        lines = [line for one in value for line in _item(one, indent + 2)]
        return [f"{blank}- {lines[0].lstrip()}", *lines[1:]]
    return _wrapped(f"{blank}- [", value, indent + 2)


def _wrapped(begin, values, indent):
    """A long list of scalars over several lines."""
    lines, line = [], begin
    for place, value in enumerate(values):
        word = _scalar(value) + ("," if place < len(values) - 1 else "]")
        if len(line) + len(word) + 1 > WIDE and line.strip():
            lines.append(line.rstrip())
            line = " " * indent
        line += word + " "
    return [*lines, line.rstrip()]


def _flow(value, room):
    """A value on one line, None where it does not fit."""
    if isinstance(value, dict):
        parts, ends = [], "{}"
        for key, one in value.items():
            inner = _flow(one, room - len(str(key)) - 4)
            if inner is None:
                return None
            parts.append(f"{_scalar(key)}: {inner}")
            room -= len(parts[-1]) + 2
    elif isinstance(value, (list, tuple)):
        parts, ends = [], "[]"
        for one in value:
            inner = _flow(one, room - 2)
            if inner is None:
                return None
            parts.append(inner)
            room -= len(inner) + 2
    else:
        text = _scalar(value)
        return text if len(text) <= room else None if len(text) < WIDE // 2 else text
    return ends[0] + ", ".join(parts) + ends[1] if room >= 2 else None


def _scalar(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isfinite(value):
            short = np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e")
            return short if len(short) < len(repr(value)) - 1 else repr(value)
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if isinstance(value, int):
        return str(value)
    if (PLAIN.fullmatch(value) or EXPRESSION.fullmatch(value)) and not value.endswith(" ") and value not in WORDS and \
            isinstance(scalar(value), str) and value.lower() not in WORDS:
        return value
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f").replace("\u2028", "\\u2028").replace(
        "\u2029", "\\u2029").replace("\x85", "\\u0085").replace("\ufeff", "\\ufeff")
