"""The errors that a user of identification can meet."""
from robotphi.errors import RobotphiError


class ExperimentError(RobotphiError):
    """An experiment that cannot be: its file, its parameters, its runs, or what it compares."""


class DataError(ExperimentError):
    """Measured data that cannot be read: told with file, line and column."""


class JournalError(ExperimentError):
    """A journal that cannot be gone on with."""


class FitError(RobotphiError):
    """A fit that cannot be judged, or nothing to choose from."""
