"""URDF: robots as links and joints, ready to be put into a scene as rigid primitives joined by springs."""
from robotphi.urdf.read import load_urdf
from robotphi.urdf.robot import Inertial, Joint, Link, LinkShape, Mimic, Robot

__all__ = ["Inertial", "Joint", "Link", "LinkShape", "Mimic", "Robot", "load_urdf"]
