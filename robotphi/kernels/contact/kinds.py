"""Words of the contact kernels: kinds of parts, columns of the laws and of the sums of a pair."""

# kind of a part
POLYHEDRON = 0  # closed surface of triangles, convex or nearly so; rigid, or soft on free particles
SHEET = 1       # open surface of triangles with a thickness, on free particles
SPHERE = 2      # a row and a radius: a ball on a rigid, or a free particle with a size
CAPSULE = 3     # two rows, the ends of the axis, and a radius; on a rigid
CYLINDER = 4    # likewise, with flat ends
PLANE = 5       # half space, fixed in the world or on a rigid
FIELD = 6       # height field, fixed in the world

# columns of `size` of a part
RADIUS, HALF_THICKNESS, REFERENCE_AREA, MASS = range(4)
SIZE_COLUMNS = 4

# columns of the law of a pair of materials
STIFFNESS, DAMPING, STATIC, KINETIC, TANGENTIAL, BALL_POWER, BALL_STIFFNESS, SETTLING_SPEED = range(8)
LAW_COLUMNS = 8

# columns of the sums of a pair: what the contact of two parts adds up to at one instant
ENERGY, LOSS, NORMAL, ELASTIC, AREA = range(5)   # J, W, N, N, m²
FORCE, MOMENT = 5, 8      # N and N·m on the first part, three columns each; moment about the pair's reference point
CENTRE = 11               # N·m: elastic force (of sheets normal) × position from the reference point, three columns
SPREAD = 14               # N·m²: elastic force × square of the distance from the reference point, across n
POINTS = 15               # how many points of pressure there were
FACING = 16               # N: elastic force of sides that face each other; more than ELASTIC where far sides press back
PLACE = 17                # N·m: it × position from the reference point, three columns
TOTAL_COLUMNS = 20
