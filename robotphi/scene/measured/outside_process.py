"""The part of reading C3D files and ROS bags that runs in a process of its own: file in, arrays on standard output.

It knows nothing of ours, so that it starts quickly. Arguments: format, path, topic, most memory [bytes], most numbers. What it
has to say to people goes to standard error as its last line, and its exit code is 3.
"""
import io
import sys

import numpy as np

TOLD = 3
DEEPEST, LONGEST = 6, 64   # of fields within fields of a message; of lists, such as those of joints
HIDDEN = ("header", "covariance", "layout")


def tell(what):
    print(what.replace("\n", " ")[:500], file=sys.stderr)
    sys.exit(TOLD)


def c3d(path, topic, most):
    """Markers, or analog channels, and their units."""
    import ezc3d

    if topic not in ("", "points", "analog"):
        tell(f"a C3D file has the topics points and analog, not {topic!r}")
    found = ezc3d.c3d(path)
    group, block = ("ANALOG", "analogs") if topic == "analog" else ("POINT", "points")
    values, parameters = found["data"][block], found["parameters"][group]
    if not values.size:
        tell(f"it holds no {'analog channels' if topic == 'analog' else 'markers'}")
    if values.size > most:
        tell(f"it has {values.size} numbers, more than {most}")
    head = found["header"][block]
    rate = float(head["frame_rate"])
    if not 0.0 < rate < 1e9:
        tell(f"it tells a rate of {rate:g} Hz")
    count = values.shape[1]
    labels = [label for key in ("LABELS", "LABELS2", "LABELS3") if key in parameters for label in parameters[key]["value"]]
    labels = [str(label).strip() for label in labels][:count]
    labels += [f"{block[:-1]} {n + 1}" for n in range(len(labels), count)]
    first = int(head["first_frame"])
    times = (first + np.arange(values.shape[2])) / rate
    units = [str(unit).strip() for unit in parameters["UNITS"]["value"]] if "UNITS" in parameters else []
    if topic == "analog":
        return times, labels, values[0].T, [*units, *[""] * count][:count]
    points = np.moveaxis(values[:3], 0, 2).transpose(1, 0, 2).astype(float)
    residuals = found["data"].get("meta_points", {}).get("residuals")
    if residuals is not None and residuals.shape[1:] == values.shape[1:]:
        points[residuals[0].T < 0.0] = np.nan
    names = [f"{label}.{axis}" for label in labels for axis in "xyz"]
    return times, names, points.reshape(len(times), -1), [units[0] if units else ""] * len(names)


def bag(path, topic, most):
    """Numbers of the messages of a topic, by the names of their fields."""
    from pathlib import Path

    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    with AnyReader([Path(path)], default_typestore=store) as reader:
        known = sorted({connection.topic for connection in reader.connections})
        if not known:
            tell("it holds no messages")
        if not topic and len(known) > 1:
            tell(f"it has the topics {', '.join(known)}: name one by topic=")
        topic = topic or known[0]
        chosen = [connection for connection in reader.connections if connection.topic == topic]
        if not chosen:
            tell(f"it has no topic {topic!r}; it has {', '.join(known)}")
        rows, names, count = {}, {}, 0
        for connection, stamp, raw in reader.messages(connections=chosen):
            message = reader.deserialize(raw, connection.msgtype)
            for at, fields in stamped(message, stamp):
                row = rows.setdefault(at, {})
                for name, value in fields:
                    row[names.setdefault(name, len(names))] = value
                    count += 1
            if count > most or len(rows) * max(len(names), 1) > most:
                tell(f"it has more than {most} numbers: give a part of it")
    if not names:
        tell(f"the messages of {topic!r} hold no numbers")
    order = sorted(rows)
    values = np.full((len(order), len(names)), np.nan)
    for k, at in enumerate(order):
        for n, value in rows[at].items():
            values[k, n] = value
    start = order[0]
    times = np.array([(at - start) * 1e-9 for at in order])
    return times, list(names), values, [unit_of(name) for name in names]


def unit_of(name):
    """By the names of fields of usual messages, which are in SI (REP 103)."""
    if name.rpartition(".")[0].endswith(("position", "translation", "point")) and name[-1] in "xyz":
        return "m"
    if ".orientation." in f".{name}" or ".rotation." in f".{name}":
        return "1"
    return ""


def stamped(message, stamp):
    """(ns, fields) of a message: by its own stamp where it has one; of frames each by its own, named by the child."""
    if hasattr(message, "transforms"):
        for one in message.transforms[:1000]:
            yield when(one, stamp), list(fields(one.transform, f"{one.child_frame_id}.", 0))
    else:
        yield when(message, stamp), list(fields(message, "", 0))


def when(message, stamp):
    told = getattr(getattr(message, "header", None), "stamp", None)
    own = 0 if told is None else int(told.sec) * 10**9 + int(told.nanosec)
    return own or int(stamp)


def fields(value, name, depth):
    """(name, number) of all numbers in a message."""
    if depth > DEEPEST:
        return
    if isinstance(value, (bool, int, float, np.number)):
        yield name.rstrip("."), float(value)
    elif isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iufb" and len(value) <= LONGEST:
        yield from ((f"{name}{n}", float(each)) for n, each in enumerate(value))
    elif hasattr(value, "__dataclass_fields__"):
        words = getattr(value, "name", None)
        words = words if isinstance(words, list) and len(words) <= LONGEST else None
        for key in value.__dataclass_fields__:
            inner = getattr(value, key)
            if key.startswith("_") or key in HIDDEN:
                continue
            if words and isinstance(inner, np.ndarray) and len(inner) == len(words):   # joints by their names
                yield from ((f"{name}{word}.{key}", float(each)) for word, each in zip(words, inner, strict=True))
            else:
                yield from fields(inner, f"{name}{key}.", depth + 1)


def main(format, path, topic, memory, most):
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # elsewhere than on Unix
        pass
    try:
        times, names, values, units = {"c3d": c3d, "bag": bag}[format](path, topic, int(most))
    except Exception as error:   # libraries raise whatever they like on damaged files
        tell(f"it cannot be read ({type(error).__name__}: {error})")
    stream = io.BytesIO()
    np.savez(stream, times=times, values=values, names=np.array(names, str), units=np.array(units, str))
    sys.stdout.buffer.write(stream.getvalue())


if __name__ == "__main__":
    main(*sys.argv[1:])
