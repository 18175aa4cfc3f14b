"""Ligaments between two bones: strands with a toe, from tables; what they bear along a motion, in tests, and as grafts."""
from robotphi.applications.ligament.bones import bone_of
from robotphi.applications.ligament.fibres import add_fibres, knee_scene
from robotphi.applications.ligament.flexion import Flexion
from robotphi.applications.ligament.grafts import GraftMap, graft_map
from robotphi.applications.ligament.knee import Knee, read_knee
from robotphi.applications.ligament.laxity import drawer, tension_test
from robotphi.applications.ligament.passive import Passive, passive_study
from robotphi.applications.ligament.read import read_strands
from robotphi.applications.ligament.strands import Strands

__all__ = ["Flexion", "GraftMap", "Knee", "Passive", "Strands", "add_fibres", "bone_of", "drawer", "graft_map", "knee_scene",
           "passive_study", "read_knee", "read_strands", "tension_test"]
