"""Robot Φ: particles, rigid primitives and springs, with a time step that keeps its energy ledger closed."""
from robotphi.errors import (
    CheckFailed,
    ControllerFailed,
    NoEquilibrium,
    RecordingError,
    RobotphiError,
    ScenarioError,
    SceneError,
    SceneFileError,
    SimulationDiverged,
)
from robotphi.language import read_scene, write_scene
from robotphi.model.build import build_model
from robotphi.record.recording import Recording
from robotphi.run.equilibria import equilibria
from robotphi.run.put_down import place_on
from robotphi.run.settle import settle
from robotphi.run.simulator import Simulator, simulate
from robotphi.run.statics import Equilibrium, relax
from robotphi.scene import ContactMaterial, Drive, Motion, Path, Scene, Stepping, Table

__version__ = "0.1.0"

__all__ = ["CheckFailed", "ContactMaterial", "ControllerFailed", "Drive", "Equilibrium", "Motion", "NoEquilibrium", "Path",
           "Recording", "RecordingError", "RobotphiError", "ScenarioError", "Scene", "SceneError", "SceneFileError",
           "SimulationDiverged", "Simulator", "Stepping", "Table", "build_model", "equilibria", "place_on", "read_scene",
           "relax", "settle", "simulate", "write_scene"]
