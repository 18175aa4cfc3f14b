"""Scenes: what the user says, checked at the door."""
from robotphi.scene.blocks import Grid, Rigid, Rod, Sensor, Springs
from robotphi.scene.commands import Command
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.drive import Drive
from robotphi.scene.motion import Motion
from robotphi.scene.path import Path
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping
from robotphi.scene.table import Table

__all__ = ["Command", "ContactMaterial", "Drive", "Grid", "Motion", "Path", "Rigid", "Rod", "Scene", "Sensor", "Springs",
           "Stepping", "Table"]
