"""The table of fields: of every argument of verbs and functions its kind, unit and bounds.

A row speaks of an argument wherever it occurs, or with `owner.` before it of that of one verb or function, which counts before.
Kinds are those of `kinds.py`: [kind] a list, {kind} a mapping from names, a|b what fits first. The meaning of a field stands
where Python has it, in the docstring, and is read from there by `fields.py`. Bounds: > >= < <= and a number, or words allowed.
"""

COMMON = """
about             vector          m
accuracy          word            -          path energy
across            numbers         -
active            active          s
actuator          text            -
amount            numbers         -
amplitude         number          -
angle             number          rad
angular           flag            -
angular_stiffness number          N·m²/rad    >=0
angular_viscosity number          N·m²·s/rad  >=0
armature          numbers         kg·m²      >=0
around            ref             -
articular         flag            -
assemble          number          m          >=0
at                at              m
at_floor          word            -          error accept
attempt_limit     whole           -          >=1
axes              word            -
axial_stiffness   number          N          >=0
axial_viscosity   number          N·s        >=0
axis              numbers         -
axis_stiffness    number          -          >=0
ball_law          word            -          volume hertz linear
bottom            number          m
break_force       numbers         N          >0
break_strain      numbers         1          >0
breakpoints       numbers         s
budget            number          1          >0
buoyancy          flag            -
cell_regions      {{numbers}}     -
cells             {numbers}       -
centre            vector          m
child             rigid           -
clamp_end         word            -          pin clamp
clamp_start       word            -          pin clamp
closed            flag            -
collisions        [link_shape]    -
contact           contact         -
contact_group     word            -
contact_thickness number          m          >0
control           word            -          ledger energy fixed
corners           numbers         m
count             whole           -          >=1
count_force_potential flag        -
counts            numbers         -          >=1
damping_frequency number          Hz         >0
damping_ratio     number          1          >=0
deformation       data            -
density           number          kg/m³      >0
direction         vector          -
drag              number|{number} 1          >=0
drive             drive           -
dt                number          s          >0
dt_max            number          s          >0
dt_min            number          s          >0
duration          number          s          >0
edge              number          m          >=0
edge_u            vector          m
edge_v            vector          m
elongations       numbers         m
end               vector          m
energy_tolerance  number          J          >0
exponent          number          1          >1
facet_regions     {numbers}       -
facets            words           -
fastest           number          -          >0
filling           drive           1
first             particles       -
fixed_base        flag            -
forces            numbers         N
format            word            -
frame             ref             -
frame_interval    number          s          >0
frames            {numbers}       m
frequency         number          Hz
gap               number          m          >0
gas               word            -          isothermal adiabatic
grading           data            -
gravity           vector          m/s²
hardening         numbers         -          >=0
height            number          m          >0
heights           numbers         m
inertia           numbers         kg·m²
inner_radius      number          m          >0
inside            number          Pa         >=0
joint             joint           -
joint_stiffness   number|{number} -          >=0
jumps             flag            -
kind              word            -
law               word            -          uniform power well ball plane vortex
length            number          m          >0
level             number          m
linear            flag            -
linear_drag       number|{number} N·s/m³     >=0
linear_stiffness  number          N          >=0
linear_viscosity  number          N·s        >=0
load              number          N          >0
mass              numbers         kg         >=0
mass_per_length   number          kg/m       >0
massless          flag            -
material          material        -
materials         {material}      -
matrix            numbers         -
memory            whole           -          >=0
mesh              mesh            -
mesh_folder       file            -
mimic             mimic           -
motion            motion          -
multiplier        number          -
name              text            -
names             words           -
normal            numbers         -
notes             data            -
objects           {object}|[object]|several -
offset            number          -
origin            vector          m
outside           number          Pa         >=0
parent            rigid           -
part              word            -
particles         particles       -
parts             [shape]         -
path              numbers         m
per_mass          flag            -
phase             number          rad
piece             numbers         -
pitch             number          m
point             vector          m
points            {numbers}       m
poisson           number          1          >=0
polygon           numbers         m
polyhedra         {numbers}       -
pose              numbers         -
position          vector          m
positions         numbers         m
power             number          1
pressure          drive           Pa
profile           numbers         m
quantity          word            -
quaternions       numbers         1
radius            number          m          >0
ratio             number          1
reach             number          m          >0
refine            {number}|data   -
regions           {numbers}       -
rest              numbers         -
rest_angle        numbers         rad
rest_length       numbers         m          >=0
restitution       number          1          >=0 <=1
rigid             rigid           -
rigids            [rigid_part]    -
ring_grading      data            -
rings             whole           -          >=1
robot             robot           -
root              text            -
rotation          rotation        rad
rotation_support  word            -
rotor             number          kg·m²      >=0
round             data            -
round_shapes      flag            -
sampling_error    number          -
scheme            word            -          verlet taylor
second            particles       -
sections          whole           -          >=3
segments          whole           -          >=1
self_contact      flag            -
shift             numbers         m
sides             whole           -          >=3
size              numbers         m          >0
soft              number          m          >=0
solid             shape           -
spacing           numbers         m          >0
speed             drive           m/s
spin              vector          rad/s
springs           {spring_group}  -
start             vector          m
static_friction   number          1          >=0
stepping          stepping        -
stiff             number|flag|word -
stiffness         numbers         N/m        >=0
structural        numbers         N/m        >=0
support           words           -
table             table           -
taken             numbers         kg         >=0
tangential_stiffness number       N/m        >=0
target            target          -
temperature       number          K          >0
tension           drive           N
tension_only      flag            -
thickness         number          m          >0
thing             object          -
through           through         -
times             numbers         s
toe_elongation    number          m          >0
toe_strain        numbers         1          >0
tolerance         number          m          >=0
top_radius        number          m          >=0
towards           towards         m
transmission      transmission    -
tube_radius       number          m          >0
type              word            -
up                vector          -
upper             number          -
value             number          -
values            numbers         -
vector            numbers         N
velocity          numbers         m/s
vertices          numbers         m
viscosity         numbers         N·s/m      >=0
visuals           [link_shape]    -
when              when            -
where             where           -
whole             flag            -
width             number          m          >0
wind              drives          m/s
within            number          m          >0
x                 drive           m
y                 drive           m
yield_force       numbers         N          >0
yield_moment      numbers         N·m        >0
yield_stress      number          Pa         >0
young             numbers         Pa         >0
z                 drive           m
"""
