"""Numbers over time by name, with their units: what tables of other programs are made of."""
import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.motion import motion
from robotphi.scene.sensors import QUANTITIES

COMPONENTS = "xyz"
USUAL = "sensors", "ledger"


def unit_of(recording, sensor):
    """The unit of a sensor, "" where nobody knows it."""
    found = {name: unit for name, _, unit, _ in recording.info.get("sensors", [])}
    return found.get(sensor, QUANTITIES[sensor].unit if sensor in QUANTITIES else "")


def columns_of(recording, name):
    """Name with unit → (f,) values of a sensor, an entry of the ledger, or a coordinate of a joint.

    `name`: of one of them, "joint:NAME", or "sensors", "ledger", "joints" for all; None of what is neither.
    """
    if name in recording.sensors:
        values, unit = np.asarray(recording.sensors[name]), f" [{unit_of(recording, name) or '1'}]"
        if values.ndim == 1:
            return {name + unit: values}
        parts = COMPONENTS if values.shape[1] == len(COMPONENTS) else range(values.shape[1])
        return {f"{name} {part}{unit}": values[:, i] for i, part in enumerate(parts)}
    if name in recording.ledger:
        return {f"{name} [J]": recording.ledger[name]}
    if name in USUAL:
        return {key: values for each in getattr(recording, name) for key, values in columns_of(recording, each).items()}
    if name == "joints" or name.startswith("joint:"):
        found = motion(recording, None if name == "joints" else [name.partition(":")[2]]).columns()
        del found["time [s]"]
        return found
    return None


def to_pandas(recording, names):
    """See `Recording.to_pandas`."""
    try:
        import pandas
    except ImportError:
        raise RecordingError("to_pandas needs the package pandas: pip install pandas; robotphi export writes CSV without "
                             "it") from None
    found = {}
    for name in names:
        columns = columns_of(recording, name)
        if columns is None:
            raise RecordingError(f"{name!r:.60} is neither a sensor nor an entry of the ledger of this recording; there are: "
                                 f"{', '.join([*recording.sensors, *recording.ledger][:30])}; also sensors, ledger, joints, "
                                 "joint:NAME")
        found |= columns
    return pandas.DataFrame(found, index=pandas.Index(recording.time, name="time [s]"))
