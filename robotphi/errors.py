"""The errors a user can meet: each says what was given, what is allowed and what would work."""


class RobotphiError(Exception):
    """Any error that Robot Φ raises on purpose."""


class SceneError(RobotphiError):
    """The scene asks for something that cannot be: refused at the door."""


class SceneFileError(SceneError):
    """A scene file says what cannot be: told with file, line and column."""


class MeshError(RobotphiError):
    """A mesh or robot file that cannot be read or written, or a shape that cannot be made of it."""


class ScenarioError(RobotphiError):
    """A scenario name or file that cannot be found or run."""


class RecordingError(RobotphiError):
    """A recording that cannot be read or written."""


class DamagedError(RecordingError):
    """A recording whose frames are not those that were written; it can be read in spite of that."""


class FrameError(RecordingError, IndexError):
    """A frame that a recording does not have."""


class CheckFailed(RobotphiError):
    """A scenario ran, and its own check found a wrong number."""


class NoEquilibrium(RobotphiError):
    """No static equilibrium was found: nothing holds some part, contact is lost, or the limit of steps was reached."""


class ControllerFailed(RobotphiError):
    """A controller raised an error, or set what cannot be; the error itself is its cause.

    Attributes:
        recording: all frames so far.
    """

    def __init__(self, message, recording=None):
        super().__init__(message)
        self.recording = recording


class SimulationDiverged(RobotphiError):
    """The step reached its floor or the state is no longer finite.

    Attributes:
        recording: all frames up to the last good one.
        post_mortem: which spring or rigid brought in most energy, when, and what would help.
    """

    def __init__(self, message, recording=None, post_mortem=None):
        super().__init__(message)
        self.recording = recording
        self.post_mortem = post_mortem
