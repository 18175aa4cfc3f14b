"""The part of a Scene that gives its numbers by address, and takes others."""
import copy
from contextlib import suppress

import numpy as np

from robotphi.errors import SceneError
from robotphi.scene.checks import refuse
from robotphi.scene.said_values import arguments_of, find_argument, statements_with
from robotphi.scene.saying import said
from robotphi.scene.values import address_of, known_values, rows_of, set_value, things_with_values


class SceneValues:
    """The numbers of a `Scene`. An address is (thing, quantity) or (thing, quantity, where)."""

    _valued_from = None   # (scene, {address: value}, number of statements, plain attributes) of what `with_values` made

    @said
    def set_value(self, thing, quantity, value, where=None):
        """Give something that is there another value.

        Args:
            thing: name of a block, rigid, force or of what touches; (name, name) for a law of two; "scene"; "medium".
            quantity: such as "stiffness"; `addresses` lists what there is.
            value: what the verb that made the thing would take.
            where: one row of a block, several, or the name of a region of an object; all where left out.
        """
        set_value(self, address_of((thing, quantity, where)), value)

    def value(self, thing, quantity, where=None):
        """The number at an address: of what is there, or else of what was said; None for what was left out."""
        address = address_of((thing, quantity, where))
        known = known_values(self, address.thing)
        found = known[quantity].value if quantity in known else find_argument(self, address)[1].value
        if where is None:
            return found
        rows = rows_of(self, address, len(found))
        return found[rows] if np.ndim(where) or isinstance(where, str) else found[rows[0]]

    def addresses(self):
        """Thing → quantities that have an address, those of what was said for it included."""
        found = {}
        for thing in things_with_values(self):
            ends = [".".join(one.way[1:] or one.way) for one in arguments_of(self, thing)[1]]
            found[thing] = tuple(dict.fromkeys((*known_values(self, thing), *ends)))
        return found

    def holds(self, address):
        """Whether a value belongs to what is there, so that nothing has to be said again."""
        return address.quantity in known_values(self, address.thing)

    def with_values(self, values):
        """Another scene with other values, {address: value}; this one stays as it is."""
        if not isinstance(values, dict):
            refuse("with_values", f"values is {values!r:.60}", 'give {address: value}, such as {("spring", "stiffness"): 5.0}')
        values = {address_of(address): value for address, value in values.items()}
        of_arguments = {address: value for address, value in values.items() if not self.holds(address)}
        held = {address: value for address, value in values.items() if address not in of_arguments}
        root, before = self._root_and_values()
        if before:   # said together, so that a scene that is fitted does not grow
            together = {address: value for address, value in before.items() if address not in held} | held
            with suppress(SceneError):   # where one of them needs what was set before another
                return root._valued(of_arguments, together)
        return self._valued(of_arguments, held)

    def _valued(self, of_arguments, values):
        """Another scene, said again with other arguments where there are any, then with other values of what is there."""
        root = type(self).from_statements(statements_with(self, of_arguments)) if of_arguments else self
        if root is not self:   # statements have no functions
            root.controllers = {name: self.controllers.get(name, one) for name, one in root.controllers.items()}
        scene = root._twin()
        for address, value in values.items():
            scene.set_value(*address[:2], value, address.where)
        scene._valued_from = (root._twin(), values, len(scene._statements), scene._plain())
        return scene

    def _root_and_values(self):
        """The scene that this one was made of by `with_values`, and the values; itself where more was said or set since."""
        if self._valued_from is None or self._valued_from[2] != len(self._statements):
            return self, {}
        then, now = self._valued_from[3], self._plain()
        return self._valued_from[:2] if all(now[name] is then.get(name) for name in now) else (self, {})

    def _plain(self):
        """What may be set without a verb, such as `frames` and `stepping`."""
        return {name: value for name, value in vars(self).items() if name[0] != "_" and not isinstance(value, (list, dict))}

    def _twin(self):
        """A scene of the same blocks, of which each can be exchanged."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, dict)):
                setattr(twin, name, copy.copy(value))
        twin.springs = {kind: list(blocks) for kind, blocks in self.springs.items()}
        count = self.particle_count   # without the room behind, which each scene would fill as it likes
        twin._position, twin._rigid = self._position[:count], self._rigid[:count]
        return twin
