"""Datasets, texts and attributes made by the plain calls of HDF5: what h5py does by itself takes three times as long, and a
recording has a hundred of them."""
from functools import cache, lru_cache
from math import prod
from types import SimpleNamespace

import numpy as np


@cache
def _hdf5():
    """The calls, and how datasets are made: with the groups on the way, at a place of their own at once, and nothing in it."""
    import h5py
    from h5py import h5a, h5d, h5g, h5p, h5s, h5t

    links, made = h5p.create(h5p.LINK_CREATE), h5p.create(h5p.DATASET_CREATE)
    links.set_create_intermediate_group(True)
    made.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    made.set_fill_time(h5d.FILL_TIME_NEVER)
    return SimpleNamespace(a=h5a, d=h5d, g=h5g, s=h5s, t=h5t, links=links, made=made, text=h5py.string_dtype())


@cache
def _type_of(dtype):
    return _hdf5().t.py_create(dtype, logical=True)


@cache
def _text_type():
    return _type_of(_hdf5().text)


@lru_cache(64)
def _space_of(shape):
    return _hdf5().s.create_simple(shape) if shape else _hdf5().s.create(_hdf5().s.SCALAR)


def _create(file, path, shape, dtype):
    calls = _hdf5()
    return calls.d.create(file.id, path.encode(), _type_of(dtype), _space_of(tuple(shape)), calls.made, calls.links)


def make_dataset(file, path, shape, dtype):
    """An empty dataset of one piece, whose place in the file is fixed from now on; nothing is written there.

    Returns (byte in the file, shape, dtype), as `mapped.places_in`.
    """
    own = _create(file, path, shape, np.dtype(dtype))
    return own.get_offset() if prod(shape) else None, tuple(shape), np.dtype(dtype)


def write_dataset(file, path, values):
    """A dataset of these values."""
    values = np.asarray(values, order="C")
    own = _create(file, path, values.shape, values.dtype)
    if values.size:
        own.write(_hdf5().s.ALL, _hdf5().s.ALL, values)


def write_text(file, path, text):
    """A dataset that is a text, as h5py makes it of one."""
    calls = _hdf5()
    own = calls.d.create(file.id, path.encode(), _text_type(), _space_of(()), None, calls.links)
    own.write(calls.s.ALL, calls.s.ALL, np.array(text, calls.text))


def make_group(file, path):
    """A group, with those on the way."""
    calls = _hdf5()
    return calls.g.create(file.id, path.encode(), calls.links)


def write_attributes(file, path, **values):
    """Attributes of a group: texts, numbers, arrays of them."""
    calls = _hdf5()
    group = calls.g.open(file.id, path.encode())
    for name, value in values.items():
        value = np.array(value, calls.text) if type(value) is str else np.asarray(value)
        kind = _text_type() if value.dtype == object else _type_of(value.dtype)
        calls.a.create(group, name.encode(), kind, _space_of(value.shape)).write(value)


def name_again(file, path, names):
    """Further names of a dataset, beside its own."""
    folder, _, own = path.rpartition("/")
    group = _hdf5().g.open(file.id, folder.encode())
    for name in names:
        group.links.create_hard(name.encode(), group, own.encode())
