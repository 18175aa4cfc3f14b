"""What numba works out anew thousands of times while kernels are compiled, and always alike, is worked out once.

Half of the time of type inference goes into three questions. What does `+` of two floats give? numba tries up to a dozen
templates, most of which are about other things, at each of the fifty thousand places where it is asked. Are two sets of flags
the same? Each of their options is read through a property to tell. Which variables does a statement use? All its fields are
looked at as if any of them could hold some. The answers are those of numba itself; where its inside has changed, its own way is
taken, merely slower.
"""
try:
    from numba.core import ir, types
    from numba.core.targetconfig import TargetConfig
    from numba.core.types.functions import BaseFunction
    # of these nothing but the type itself decides, and it is known in full
    KNOWN_IN_FULL = (types.Number, types.Boolean, types.Array, types.BaseTuple, types.NoneType, types.StringLiteral,
                     types.SliceType)
    KNOWN = (hasattr(BaseFunction, "get_call_type") and hasattr(TargetConfig, "options") and hasattr(ir.Stmt, "list_vars")
             and {"_values"} <= set(TargetConfig.__slots__))
except (ImportError, AttributeError):
    KNOWN = False


def remember(under):
    """Have numba remember, as long as `under.depth` says that kernels are being compiled."""
    if KNOWN:
        _remember_calls(under)
        _compare_flags_at_once()
        _skip_what_holds_no_variables()


def _remember_calls(under):
    work_out, answers = BaseFunction.get_call_type, {}   # id of a function → (the function, its answers)

    def get_call_type(function, context, args, kws):
        if under.depth == 0 or kws or not all(isinstance(arg, KNOWN_IN_FULL) for arg in args):
            return work_out(function, context, args, kws)
        _, known = answers.setdefault(id(function), (function, {}))
        args = tuple(args)
        if args not in known:
            known[args] = work_out(function, context, args, kws)
        return known[args]

    BaseFunction.get_call_type = get_call_type


def _compare_flags_at_once():
    compare = TargetConfig.__eq__

    def same(flags, other):
        if type(flags) is type(other) and flags._values == other._values:
            return True
        return compare(flags, other)

    TargetConfig.__eq__ = same


def _skip_what_holds_no_variables():
    plain = {str, int, float, bool, type(None), ir.Loc}

    def found(value):
        if isinstance(value, ir.Var):
            return [value]
        if isinstance(value, ir.Inst):
            return value.list_vars()
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, (list, tuple)):
            return []
        return [each for inner in value if type(inner) not in plain for each in found(inner)]

    ir.Inst._rec_list_vars = lambda _, value: found(value)
