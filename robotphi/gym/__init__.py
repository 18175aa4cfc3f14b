"""Environments for learning: a scene with sensors as observations and commands as actions, by the interface of gymnasium."""
from robotphi.gym.environment import SceneEnvironment
from robotphi.gym.noise import uniform
from robotphi.gym.vector import side_by_side

__all__ = ["SceneEnvironment", "side_by_side", "uniform"]
