"""Files of format 1, as versions before wrote them, for the tests that they are still read."""
import json

import h5py

from robotphi.record.files.names import FRAME_ARRAYS, FRAME_GROUPS, file_name
from robotphi.scene.said_data import to_text


def write_old(recording, path, rows=True, scene=True):
    """The recording in a file of format 1, without a seal; some of these had no tables, or no scene. Returns the path."""
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["format"], file.attrs["format_version"] = "robotphi recording", 1
        file.attrs["status"], file.attrs["scene_digest"] = recording.status, recording.scene_digest
        for name in FRAME_ARRAYS:
            file[name] = getattr(recording, name)
        for group in (*FRAME_GROUPS, "steps"):
            _put(file.create_group(group, track_order=True), getattr(recording, group))
        for table, columns in recording.rows.items() if rows else ():
            _put(file.create_group(f"rows/{file_name(table)}", track_order=True), columns)
        for name in ("counts", "info"):
            file[name] = json.dumps(getattr(recording, name), ensure_ascii=False)
        if scene and recording.statements:
            text, arrays = to_text(recording.statements)
            file["scene/statements"] = text
            for place, array in enumerate(arrays):
                file[f"scene/{place}"] = array
    return path


def _put(folder, arrays):
    for name, array in arrays.items():
        folder.create_dataset(file_name(name), data=array)
