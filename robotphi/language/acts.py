"""Acts as a file says them: the fields that each declares of itself, as fields of the language."""
from robotphi.language.fields import REQUIRED, Field
from robotphi.scene.acts import declared

KINDS = {"number": "numbers", "vector": "numbers", "particles": "particles", "ends": "pulled", "rigid": "rigid",
         "drive": "drive", "whole": "whole", "choice": "word", "touching": "named"}
# What the door of gates alone gives, since an act trusts it: a file says `when` of a pull, field or attitude instead.
UNSAID = ("seen", "seen_at", "seen_to", "seen_joint", "seen_along")


def act_fields(kind):
    """Name → Field of an act by its kind, None where there is none."""
    from robotphi.kernels.acts.fields import REQUIRED as NEEDED
    from robotphi.kernels.acts.table import OPEN

    if kind not in OPEN:
        return None
    found = {}
    for name, each in declared(kind).items():
        if name in UNSAID:
            continue
        bounds = tuple((sign, bound) for sign, bound in ((">=", each.low), (">", each.above)) if bound is not None)
        found[name] = Field(name, KINDS[each.kind], each.unit, bounds, tuple(each.words) if each.kind == "choice" else (),
                            REQUIRED if each.default is NEEDED else each.default, "")
    return found
