"""Scene and model of a recording, said again from its statements, so that it can be drawn, measured and continued alone."""
import warnings

from robotphi.errors import RecordingError
from robotphi.model.arrays import model_digest
from robotphi.model.build import build_model
from robotphi.scene.checks import user_level
from robotphi.scene.scene import Scene


def scene_of(recording):
    """See `Recording.scene`."""
    if not recording.statements:
        raise RecordingError("this recording does not hold what was said to its scene: an earlier version wrote it, or nothing "
                             "was simulated; give the scene or model from which it was made, or run it anew")
    return Scene.from_statements(recording.statements)


def model_of(recording):
    """See `Recording.model`; one that has other sizes is refused, one that differs in anything else is told."""
    model = build_model(recording.scene)
    found = (model.particle_count, len(model.arrays.rigids.mass))
    wanted = (recording.position.shape[1], recording.rigid_position.shape[1])
    if found != wanted:
        raise RecordingError(f"the statements make {found[0]} particles and {found[1]} rigids, the frames hold {wanted[0]} and "
                             f"{wanted[1]}: another version made them; read it with that one, or run it anew")
    if recording.scene_digest and model_digest(model) != recording.scene_digest:
        warnings.warn("the model made of this recording's statements is not the same to the bit as the one that was simulated: "
                      "another version or another kind of processor did that; pictures and measures may differ a little",
                      UserWarning, user_level())
    return model
