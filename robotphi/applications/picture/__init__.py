"""Pictures on grids of particles that forces pull out of shape, by script or by hand, and a flag that carries one."""
from robotphi.applications.picture.effects import EFFECTS, drag_scene, flag_scene, hand_scene, waves_scene
from robotphi.applications.picture.exact import dragged, travelling
from robotphi.applications.picture.grid import Rubber, shape_of

__all__ = ["EFFECTS", "Rubber", "drag_scene", "dragged", "flag_scene", "hand_scene", "shape_of", "travelling", "waves_scene"]
