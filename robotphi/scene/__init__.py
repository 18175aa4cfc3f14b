"""Scenes: what the user says, checked at the door."""
from robotphi.scene.blocks import Grid, Rigid, Rod, Sensor, Springs
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.drive import Drive
from robotphi.scene.path import Path
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping
from robotphi.scene.table import Table

__all__ = ["ContactMaterial", "Drive", "Grid", "Path", "Rigid", "Rod", "Scene", "Sensor", "Springs", "Stepping", "Table"]
