"""Comma-separated values, or with semicolons or tabs, with units in their heads: time [s], tip z [mm], load [N]."""
from robotphi.scene.checks import refuse
from robotphi.scene.measured.table import measured
from robotphi.scene.text_file import Rows, split_unit, table_lines
from robotphi.scene.units import TO_SI, UNITS

TIMES = ("time", "t", "timestamp", "zeit", "temps")


def read_comma(where, path, units, topic, time):
    """See `read_measured`; `time` is the head of the column of times as it is written, or its name."""
    separator, rows = table_lines(where, path)
    line, titles = next(rows, (0, []))
    titles = [title.strip() for title in titles]
    split = [split_unit(title) for title in titles]
    names = [name for name, _ in split]
    twice = next((name for n, name in enumerate(names) if name.lower() in [each.lower() for each in names[:n]]), None)
    if twice is not None or not titles:
        refuse(where, f"line {line}: two columns are called {twice!r:.60}" if titles else "it has no line of heads",
               "begin with a line of heads such as time [s],x [mm], each with a name of its own")
    n = _time_of(where, titles, names, time)
    unit = (units or {}).get(names[n], split[n][1])
    if unit not in UNITS["time"]:
        refuse(where, f"the column of times is called {titles[n]!r:.60}",
               f"write its unit into the head, such as {names[n]} [s]; known: {', '.join(UNITS['time'])}")
    kept = Rows(where, titles)
    for line, cells in rows:
        kept.add(line, cells, separator != ",")
    values, lines = kept.columns()
    times = values[:, n] * TO_SI[unit][1]
    others = [i for i in range(len(names)) if i != n]
    return measured(where, times, {names[i]: values[:, i] for i in others}, {names[i]: split[i][1] for i in others},
                    {names[i]: titles[i] for i in others}, lines, f"{len(others)} columns",
                    {name: unit for name, unit in (units or {}).items() if name != names[n]})


def _time_of(where, titles, names, time):
    wanted = TIMES if time is None else (str(time).lower(), split_unit(str(time))[0].lower())
    found = [n for n, said in enumerate(zip(titles, names, strict=True)) if {each.lower() for each in said} & set(wanted)]
    if not found:
        refuse(where, f"there is no column of times {time!r}" if time else "there is no column of times",
               f"its heads are {', '.join(titles)[:300]}; name it time [s], or tell it by time=")
    return found[0]
