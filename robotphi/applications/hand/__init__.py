"""Hands of three-jointed fingers that grasp: dimensions, objects, how they close, and what a recording tells of the grasp."""
from robotphi.applications.hand.dimensions import Dimensions
from robotphi.applications.hand.fingers import Hand, add_hand
from robotphi.applications.hand.grasping import grasp_scene
from robotphi.applications.hand.limits import grasp_friction, holds_still, least_friction
from robotphi.applications.hand.pads import holding_friction, pads_scene
from robotphi.applications.hand.quality import Quality, grasp_quality
from robotphi.applications.hand.report import Grasp, grasp_report
from robotphi.applications.hand.things import Thing

__all__ = ["Dimensions", "Grasp", "Hand", "Quality", "Thing", "add_hand", "grasp_friction", "grasp_quality", "grasp_report",
           "grasp_scene", "holding_friction", "holds_still", "least_friction", "pads_scene"]
