"""`robotphi list`: the scenarios that can be run by name."""
from robotphi.commands.output import AsJson, answer, console, exit_codes, table
from robotphi.scenario import list_scenarios


def list_command(as_json: AsJson = False):
    """List the scenarios that can be run by name.

    Example: robotphi list --json
    """
    with exit_codes(as_json):
        known = list_scenarios()
        if as_json:
            answer([{"name": name, "summary": summary} for name, summary in known.items()])
            return
        rows = table("", "scenario", "what it shows")
        for name, summary in known.items():
            rows.add_row(name, summary)
        console().print(rows)
