"""What the readers and the writer of gmsh files share: kinds by number, numbers out of text and bytes."""
import numpy as np

from robotphi.geometry.files.raw import fail, numbers, whole

POINT = 15
KIND = {1: "edge", 2: "triangle", 3: "quad", 4: "tetrahedron", 5: "hexahedron", 6: "wedge", 7: "pyramid", POINT: "point"}
CORNERS = {"point": 1, "edge": 2, "triangle": 3, "quad": 4, "tetrahedron": 4, "hexahedron": 8, "wedge": 6, "pyramid": 5}
DIMENSION = {"point": 0, "edge": 1, "triangle": 2, "quad": 2, "tetrahedron": 3, "hexahedron": 3, "wedge": 3, "pyramid": 3}


def kind_of(code):
    """The kind of a type of elements."""
    if code in KIND:
        return KIND[code]
    return fail(f"it has elements of type {code}, which is of second or higher order or not known",
                "give first order: gmsh -order 1, or gmsh.option.setNumber('Mesh.ElementOrder', 1)")


class Numbers:
    """Numbers one after the other, from text or from bytes; asking for more than there are is refused."""

    def __init__(self, what, data, order):
        self.what, self.order, self.place = what, order, 0
        self.data = numbers(data.split(), what) if order is None else data

    def take(self, code, count):
        """The next `count` numbers of a type: "i4", "u8" or "f8"; whole ones as int64."""
        count = int(count)
        width = 1 if self.order is None else int(code[1])
        if not 0 <= count <= (len(self.data) - self.place) // width:
            fail(f"{self.what} should hold {count} more numbers and ends before them", "it was cut short: save it anew")
        if self.order is None:
            values = self.data[self.place:self.place + count]
        else:
            values = np.frombuffer(self.data, self.order + code, count, self.place)
            if code == "u8" and count and values.max() >= 1 << 62:
                fail(f"{self.what} has a count of {values.max()}", "it was cut short, or is of the other byte order")
        self.place += count * width
        return values if code == "f8" else whole(values, self.what)

    def one(self, code):
        return int(self.take(code, 1)[0])

    @property
    def left(self):
        return len(self.data) - self.place
