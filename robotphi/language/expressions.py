"""Expressions: `= m*g/2` over parameters and what is defined; a short list of what may stand there, and nothing else is done.

The text is parsed by Python's own parser and walked here: numbers, texts, names, arithmetic, comparisons, `a if b else c`,
places of lists, and functions of FUNCTIONS. What comes out is bounded while it is worked out.
"""
import ast
import math
import operator
import re
import warnings
from functools import lru_cache

LONGEST = 500          # letters
MOST_BITS = 256        # of a whole number
MOST_ITEMS = 10_000    # of a list
TIME = "t"


class ExpressionError(ValueError):
    """An expression that cannot be worked out."""


CONSTANTS = {"pi": math.pi, "inf": math.inf}
FUNCTIONS = {name: getattr(math, name) for name in (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "sqrt", "exp", "log", "log10", "hypot",
    "floor", "ceil", "radians", "degrees", "copysign")} | {
    "abs": abs, "min": min, "max": max, "round": lambda number: round(number), "len": len, "int": int, "float": float}
_BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
           ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
_UNARY = {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}
_COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
            ast.GtE: operator.ge}
_NUMBERS = (bool, int, float)


def is_expression(text):
    """Whether a text is to be worked out; == stands for a text that begins with =."""
    return text.startswith("=") and not text.startswith("==")


@lru_cache(maxsize=4096)
def parsed(text):
    """The tree of an expression without its `=`."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} letters; at most {LONGEST}: name parts of it in define:")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"{text.strip()!r} is no expression ({getattr(error, 'msg', None) or error})") from error


def names_in(text):
    """The names that an expression asks for."""
    return {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}


def evaluate(text, look_up):
    """The value of an expression; `look_up(name)` gives what names stand for, or raises ExpressionError."""
    try:
        return _checked(_value(parsed(text), look_up))
    except ExpressionError:
        raise
    except (ArithmeticError, ValueError, TypeError, IndexError, RecursionError) as error:
        raise ExpressionError(f"{text.strip()!r} cannot be worked out: {error}") from error


def _value(node, look_up):
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.Name):
        return CONSTANTS[node.id] if node.id in CONSTANTS else look_up(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _binary(node, _value(node.left, look_up), _value(node.right, look_up))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_number(_value(node.operand, look_up)))
    if isinstance(node, ast.Compare):
        return _compared(node, look_up)
    if isinstance(node, ast.BoolOp):
        wanted = isinstance(node.op, ast.Or)
        for each in node.values:
            value = _value(each, look_up)
            if bool(value) is wanted:
                break
        return value
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, look_up) else node.orelse, look_up)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(each, look_up) for each in node.elts]
    if isinstance(node, ast.Subscript):
        return _item(_value(node.value, look_up), _value(node.slice, look_up))
    if isinstance(node, ast.Call):
        return _called(node, look_up)
    raise ExpressionError(f"{ast.unparse(node)!r:.40} is none of what an expression may hold: numbers, names, + - * / // % **, "
                          f"comparisons, a if b else c, list[place], and {', '.join(FUNCTIONS)}")


def _constant(value):
    if isinstance(value, (*_NUMBERS, str)):
        return _checked(value)
    raise ExpressionError(f"{value!r:.40} is no number and no text")


def _binary(node, left, right):
    left, right = _number(left), _number(right)
    if isinstance(node.op, ast.Pow) and isinstance(left, int) and isinstance(right, int) and \
            abs(right) * max(left.bit_length(), 1) > MOST_BITS:
        raise ExpressionError(f"{ast.unparse(node)!r:.40} is too large a whole number; write it with a point, such as 10.0")
    return _checked(_BINARY[type(node.op)](left, right))


def _compared(node, look_up):
    left = _value(node.left, look_up)
    for how, other in zip(node.ops, node.comparators, strict=True):
        right = _value(other, look_up)
        if type(how) not in _COMPARE:
            raise ExpressionError("compare by == != < <= > >=")
        if not _COMPARE[type(how)](left, right):
            return False
        left = right
    return True


def _item(value, place):
    if isinstance(place, bool) or not isinstance(place, int) or not isinstance(value, list):
        raise ExpressionError("only lists have places, which are whole numbers, counted from 0")
    return value[place]


def _called(node, look_up):
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in FUNCTIONS or node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        raise ExpressionError(f"{ast.unparse(node.func)!r:.40} is no function; there are {', '.join(FUNCTIONS)}")
    given = [_value(each, look_up) for each in node.args]
    for each in given:
        if isinstance(each, str) or (isinstance(each, list) and name not in ("min", "max", "len")):
            raise ExpressionError(f"{name} of {each!r:.40}")
    return _checked(FUNCTIONS[name](*given))


def _number(value):
    if not isinstance(value, _NUMBERS):
        raise ExpressionError(f"{value!r:.40} is no number")
    return value


def _checked(value):
    """What may come out: numbers that are some, texts, lists of them."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ExpressionError("too large a whole number; write it with a point, such as 10.0")
    if isinstance(value, complex) or (isinstance(value, float) and math.isnan(value)):
        raise ExpressionError("what comes out is no number")
    if isinstance(value, list) and len(value) > MOST_ITEMS:
        raise ExpressionError(f"a list of more than {MOST_ITEMS}")
    return value


# Texts with expressions in them --------------------------------------------------------------------------------------

_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def filled(text, look_up):
    """A text with what stands in braces worked out: "ball {i}"; {{ and }} are braces."""
    if "{" not in text and "}" not in text:
        return text

    def one(match):
        if match.group() in ("{{", "}}"):
            return match.group()[0]
        if match.group(1) is None:
            raise ExpressionError(f"{text!r:.60} has a brace without its other one; write {{{{ for a brace")
        value = evaluate(match.group(1), look_up)
        return format(value, "g") if isinstance(value, float) else str(value)
    found = _BRACES.sub(one, text)
    if len(found) > LONGEST:
        raise ExpressionError(f"a text of {len(found)} letters; at most {LONGEST}")
    return found


def escaped(text):
    """A text as it is written, so that nothing in it is worked out."""
    return ("=" if text.startswith("=") else "") + text.replace("{", "{{").replace("}", "}}")
