"""The scene language: scenes as YAML files, one to one with what Python says to a Scene."""
from robotphi.language.load import SceneFile, read_scene
from robotphi.language.write import write_scene

__all__ = ["SceneFile", "read_scene", "write_scene"]
