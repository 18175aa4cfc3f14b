"""The part of a Scene that gives its numbers by address, and takes others."""
import copy

from robotphi.scene.values import address_of, set_value


class SceneValues:
    """The numbers of a `Scene`."""

    def set_value(self, thing, quantity, value, where=None):
        """Give something that is there another value.

        Args:
            thing: name of a block, rigid, force or of what touches; (name, name) for a law of two; "scene"; "medium".
            quantity: such as "stiffness"; `addresses()` lists what there is.
            value: what the verb that made the thing would take.
            where: one row of a block, several, or the name of a region of an object; all where left out.
        """
        set_value(self, address_of((thing, quantity, where)), value)

    def with_values(self, values):
        """Another scene with other values, {address: value}; this one stays as it is."""
        scene = self._twin()
        for given, value in values.items():
            scene.set_value(*address_of(given)[:2], value, address_of(given).where)
        return scene

    def _twin(self):
        """A scene of the same blocks, of which each can be exchanged."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, dict)):
                setattr(twin, name, copy.copy(value))
        twin.springs = {kind: list(blocks) for kind, blocks in self.springs.items()}
        return twin
