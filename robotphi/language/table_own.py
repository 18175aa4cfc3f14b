"""The table of fields, of single verbs and functions: rows that count before those of `table.py`, in the same form."""

OWN = """
Scene.frames             whole       -          >=1
add_angular.stiffness    numbers     N·m/rad    >=0
add_angular.viscosity    numbers     N·m·s/rad  >=0
add_angular.hardening    numbers     N·m/rad    >=0
add_angular.drive        drive       rad
add_angular.centre       particles   -
add_articular.stiffness  numbers     N·m/rad    >=0
add_articular.viscosity  numbers     N·m·s/rad  >=0
add_articular.hardening  numbers     N·m/rad    >=0
add_articular.drive      drive       rad
add_articular.centre     particles   -
add_articular.end        particles   -
add_attitude.target      ref         -
add_attitude.towards     attitude    -
add_attitude.stiffness   number      N·m        >=0
add_attitude.damping     number      N·m·s      >=0
add_attitude.limit       number      N·m        >0
add_attitude.axis        vector      -
add_ball.mass            number      kg         >0
add_ball.velocity vector m/s
add_ball.support word -
add_ball.drive           axis_drives m
add_capsule.mass         number      kg         >0
add_capsule.velocity vector m/s
add_capsule.support word -
add_capsule.drive        axis_drives m
add_command.low          number      -
add_command.high         number      -
add_command.rate         number      -          >0
add_contact_balls.radius numbers     m          >0
add_controller.rate      number      Hz         >0
add_cylinder.mass        number      kg         >0
add_cylinder.velocity vector m/s
add_cylinder.support word -
add_cylinder.drive       axis_drives m
add_duplicate.target     pulled      -
add_duplicate.stiffness  number      N/m        >=0
add_duplicate.damping    number      N·s/m      >=0
add_duplicate.limit      number      N          >0
add_field.target         pulled      -
add_field.axis           vector      -
add_field.high           vector      m
add_field.low            vector      m
add_force.drive          drive       1
add_grid.mass            number      kg         >0
add_grid.shape           numbers     -          >=2
add_grid.shear           numbers     N/m        >=0
add_grid.bending         numbers     N·m/rad    >=0
add_grid.structural_viscosity  numbers  N·s/m      >=0
add_grid.shear_viscosity       numbers  N·s/m      >=0
add_grid.bending_viscosity     numbers  N·m·s/rad  >=0
add_joint.kind word - JOINTS
add_joint.points         numbers     m
add_joint.limits         numbers     rad|m
add_joint.torque         drives      N·m|N
add_joint.drive          drives      rad|m
add_joint.friction       numbers     N·m|N      >=0
add_joint.stiffness      numbers     N·m/rad|N/m  >=0
add_joint.viscosity      numbers     N·m·s/rad|N·s/m  >=0
add_joint.restitution    numbers     1          >=0 <=1
add_joint.place          numbers     rad|m
add_joint.rate           numbers     rad/s|m/s
add_joint.way            word        -          exact springs
add_linear.hardening     numbers     N/m        >=0
add_linear.drive         drive       m
add_motor.target         drive       rad|m
add_motor.speed          drive       rad/s|m/s
add_motor.torque         drive       N·m|N
add_motor.stiffness      number      N·m/rad|N/m  >=0
add_motor.damping        number      N·m·s/rad|N·s/m  >=0
add_motor.integral       number      N·m/(rad·s)|N/(m·s)  >=0
add_motor.limit          number      N·m|N      >0
add_motor.integral_limit number      N·m|N      >0
add_object.support       word|{word} -
add_object.motion        motion|{motion} -
add_object.velocity      vector      m/s
add_particle.mass        number      kg         >=0
add_particle.velocity    vector      m/s
add_particle.support     word        -
add_particle.drive       axis_drives m
add_particles.drive      axis_drives m
add_plane.normal         vector      -
add_pressure.thing       whole_thing -
add_pressure.amount      number      mol        >0
add_pull.target          pulled      -
add_pull.damping         numbers     N·s/m      >=0
add_pull.integral        numbers     N/(m·s)    >=0
add_pull.limit           numbers     N          >0
add_pull.integral_limit  number      N          >0
add_rigid.support        word        -
add_rigid.drive          axis_drives m
add_rigid.velocity       vector      m/s
add_robot.positions      {number}    rad
add_robot.way            word        -          exact springs
add_rod.bending_stiffness  number    N·m²       >=0
add_rod.bending_viscosity  number    N·m²·s     >=0
add_sensor.of            of          -
add_sensor.quantity      word        -          QUANTITIES
add_tendon.stiffness     number      N/m        >=0
add_tendon.viscosity     number      N·s/m      >=0
add_tendon.rest_length   number      m          >=0
add_tendon.drive         drive       m
add_tie.point            point       -
add_tie.stiffness        number      N/m        >=0
add_tie.viscosity        number      N·s/m      >=0
add_torque.vector        vector      N·m
set_contact.first        named       -
set_contact.second       named       -
exclude_contact.first    named       -
exclude_contact.second   named       -
set_value.thing          named       -
add_controller.sensors   named       -
add_controller.commands  named       -
add_wheel.mass           number      kg         >0
add_wheel.velocity vector m/s
add_wheel.support word -
add_wheel.drive          axis_drives m
add_wheel.profile        numbers     m          >=0
set_value.value          value       -
relate.factors           factors     -
relate.value             number      rad|m
joint.axis               array       -
joint.child              text        -
joint.damping            number      -
joint.effort             number      -
joint.friction           number      -
joint.lower              number      -
joint.parent             text        -
joint.velocity           number      -
joint.origin             array       -
link.pose                array       -
link.centre              array       m
link.inertia             array       kg·m²
link_shape.pose          array       -
link.mass                number      kg         >=0
mimic.joint              text        -
robot.left_out           words       -
robot.links              {link}      -
robot.joints             {robot_joint}  -
connect.thing            object|{object}|[object] -
connect.first            rows        -
connect.second           rows        -
contact_material.stiffness   number  N/m³       >0
contact_material.young       number  Pa         >0
contact_material.damping     number  s/m        >=0
contact_material.friction    number  1          >=0
contact_material.ball_stiffness  number  N/m²|N/m^1.5|N/m  >0
contact_material.speed       number  m/s        >0
deformable.way           word        -          centre corners tetrahedra symmetric report
discretise.shape         shape|mesh  -
discretise.size          number      m          >0
discretise.way           word        -          hexahedra sweep layers rigid lattice tetgen gmsh
drive.table.kind         word        -          linear cubic
facets_of.particles      rows        -
facets_of.thing          placed      -
facing.thing             placed      -
facing.angle             number      rad        >0
hull.points              numbers     m
in_box.thing             placed      -
in_box.low               vector      m
in_box.high              vector      m
in_ring.thing            placed      -
in_sphere.thing          placed      -
item.of                  several     -
item.place               whole       -          >=0
material.frame           numbers     -
material.hardening       number      Pa         >=0
mesh.points              numbers     m
mirrored.thing           placed      -
motion.kind              word        -          linear cubic
motion.of_drives.i       drive       1
motion.of_drives.j       drive       1
motion.of_drives.k       drive       1
motion.of_drives.w       drive       1
motion.read.kind         word        -          linear cubic
motion.read.path         file        -
motion.spinning.axis     vector      -
motion.spinning.rate     number      rad/s
motion.spinning.start    number      rad
motion.spinning.through  vector      m
moved.thing              placed      -
moved.shift              vector      m
name_facets.facets       rows        -
name_facets.thing        placed      -
name_region.particles    rows        -
name_region.thing        placed      -
nearest.among            rows        -
nearest.thing            placed      -
object.density           {numbers}   kg/m³
object.facets            numbers     -
object.position          numbers     m
on_plane.normal          vector      -
on_plane.thing           placed      -
path.points              numbers     m
polyhedron.facets        [numbers]   -
polyhedron.transformed.self  shape   -
polyhedron.mirrored.self shape       -
polyhedron.as_mesh.self  shape       -
compound.transformed.self    shape   -
compound.mirrored.self   shape       -
posed.thing              placed      -
read_mesh.path           file        -
load_urdf.path           file        -
load_urdf.visuals        flag        -
rigid.shape              shape|mesh  -
rigid.mass               number      kg         >0
link_shape.shape         shape|mesh  -
rigid_part.particles     numbers     -
rigid_part.mass          number      kg         >=0
sheet.bending            word        -          lines folds none
sheet.bending_stiffness  number      N·m        >=0
sphere.level             whole       -          >=0
spring_group.kind        word        -          linear angular articular
spring_group.limit       numbers     N|N·m
spring_group.particles   numbers     -
spring_group.stiffness   numbers     N/m|N·m/rad  >=0
spring_group.viscosity   numbers     N·s/m|N·m·s/rad  >=0
table.kind               word        -          linear cubic
table.toe.stiffness      number      N/m        >0
transmission.inertia     number      kg·m²      >=0
transmission.ratio       number      1|rad/m
turned.thing             placed      -
turned.axis              vector      -
in_ring.axis             vector      -
"""
