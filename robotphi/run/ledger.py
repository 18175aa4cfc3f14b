"""The ledger for people: names and energies of the rows of `books`, as `kernels/step/entries` lists them."""
from robotphi.kernels.step import slots
from robotphi.kernels.step.entries import ALWAYS, CONTACT, ENTRIES, MEDIUM, NEVER, REST, TOTAL, act_entries, work_entry


def all_entries(model):
    """The entries of a model, one for each row of `books`."""
    entries = [*ENTRIES, *(work_entry(name) for name in model.work_names)]
    for name, books in model.act_books:
        entries += act_entries(name, books)
    return entries


def read_ledger(model, buffers):
    """Name → energy [J] of every entry that shows in scenes of this kind, and the figures behind them."""
    numbers, counters = buffers.numbers, buffers.counters
    shown = {ALWAYS: True, CONTACT: counters[slots.HAS_CONTACT] == 1, MEDIUM: len(model.arrays.acts.medium.facet) > 0,
             NEVER: False}
    ledger = {entry.name: float(row[TOTAL] + row[REST])
              for entry, row in zip(all_entries(model), buffers.books, strict=True) if shown[entry.shows]}
    return ledger | {"residual": float(numbers[slots.RESIDUAL] + numbers[slots.RESIDUAL + 1]),
                     "largest_residual": float(numbers[slots.LARGEST_RESIDUAL]),
                     "reference_energy": float(numbers[slots.REFERENCE])}
