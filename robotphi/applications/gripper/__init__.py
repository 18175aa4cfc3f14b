"""Grippers of soft fingers that are bent by air, a soft fruit, and what a recording tells of lifting it."""
from robotphi.applications.gripper.fingers import Fruit, SoftFinger
from robotphi.applications.gripper.lifting import Lifting, lifting_scene
from robotphi.applications.gripper.report import Lift, lift_report, save_lifts

__all__ = ["Fruit", "Lift", "Lifting", "SoftFinger", "lift_report", "lifting_scene", "save_lifts"]
