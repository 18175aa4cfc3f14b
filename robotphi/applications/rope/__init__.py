"""Ropes: chains of capsules with friction, turns round a post, an overhand knot, and what is known of both."""
from robotphi.applications.rope.chain import lay_rope
from robotphi.applications.rope.exact import knot_radius, loosening_friction, turns_ratio
from robotphi.applications.rope.scenes import Rope, knot_scene, loop_radius, turns_scene

__all__ = ["Rope", "knot_radius", "knot_scene", "lay_rope", "loop_radius", "loosening_friction", "turns_ratio", "turns_scene"]
