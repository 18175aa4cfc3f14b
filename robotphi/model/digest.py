"""Digest: one word for all numbers of a model, by which a recording knows the model that it may go on with."""
from hashlib import sha256

import numpy as np


def model_digest(model):
    """Fingerprint of all numbers of a model."""
    digest = sha256()
    for array in _leaves((model.arrays, model.position, model.velocity)):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _leaves(thing):
    """The arrays of nested tuples, in their order."""
    if isinstance(thing, tuple):
        for part in thing:
            yield from _leaves(part)
    else:
        yield thing
