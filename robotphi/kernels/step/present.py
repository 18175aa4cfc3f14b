"""What contact and joints do at the present instant, for those who read it while a run stands there; no frame is kept."""
import functools

from robotphi.kernels.compiling.compiled import entry
from robotphi.kernels.compiling.reference import taker
from robotphi.kernels.contact.tell import tell_contacts
from robotphi.kernels.mechanism.reactions import tell_reactions


def make_present(take_arrays, take_buffers, take_tables, touching, jointed, tell_contacts, tell_reactions):
    def present(arrays_address, buffers_address, tables_address):
        """Tell the rows of contact, in place of those told last, and what joints transmit; returns whether there was room."""
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        if touching:
            tables = take_tables(tables_address)
            tables.contact_state.size[0] = tables.vertex_state.size[0] = 0
            tables.contacts.size[0] = tables.contact_vertices.size[0] = 0
            if not tell_contacts(arrays.contact, buffers.touch, buffers.position, tables):
                return False
        if jointed:
            tell_reactions(arrays, buffers)
        return True
    return present


@functools.cache
def present_on(arrays, buffers, tables, touching, jointed):
    """The function for these types, by addresses."""
    return entry(make_present, taker(arrays), taker(buffers), taker(tables) if touching else None, touching, jointed,
                 tell_contacts if touching else None, tell_reactions if jointed else None)
