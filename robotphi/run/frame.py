"""A frame: all that is recorded of one instant."""
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.record.reading import read_contacts
from robotphi.record.sensors import Instant, read_sensors

RIGID_COLUMNS = ((CENTRE, 3), (ORIENTATION, 4), (VELOCITY, 3), (SPIN, 3), (MOMENTUM, 3))


def record_frame(model, state, recorder, sets, tables=None):
    """Record the state as it is; `sets` of springs are read by sensors.

    `tables` are the rows of contact where they are known: those of a frame from which a run is continued stay as they were.
    """
    position, velocity = state.position.copy(), state.velocity.copy()
    rigid = [state.rigid(column, width).copy() for column, width in RIGID_COLUMNS]
    buffers = state.buffers
    if tables is None:
        tables = state.frame_rows()
        if tables:
            tables |= read_contacts(model, buffers.touch, position)
    instant = Instant(state.time, position, velocity, rigid[0], rigid[2], rigid[3], rigid[4],
                      buffers.linear_law, buffers.angular_law, buffers.articular, tables.get("contacts"))
    recorder.add_frame(state.time, position, velocity, *rigid, ledger=state.ledger(), checkpoint=state.frame_record(),
                       sensors=read_sensors(model, instant, sets), tables=tables)
