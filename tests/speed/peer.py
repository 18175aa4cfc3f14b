"""Rover and hand in MuJoCo, of the same masses and measures, where it is installed; its joints are exact, its contacts soft.

Its steps of 2 ms are those of its own models of robots. Nothing is checked but that the rover follows its carrot and the ball
is held: it is no reference, only a measure of speed.
"""
import importlib.util
import time

import numpy as np

from . import hand as our_hand
from . import rover as our_rover

DT = 0.002               # s
ROVER, HAND = 8.0, 2.0   # s of a measure; a ball held by MuJoCo's friction creeps down
REPEATS = 3
OPTION = f'<option timestep="{DT}" gravity="0 0 -9.81" cone="elliptic" impratio="10"/>'


def found():
    return importlib.util.find_spec("mujoco") is not None


def rover_on_hills():
    return timed(ROVER, *rover_model("rough"))


def rover_on_plane():
    return timed(ROVER, *rover_model("plane"))


def hand():
    return timed(HAND, *hand_model())


def timed(seconds, model, before_step, after):
    """× real time and µs a step, the least processor time of some runs; `after` looks at the end, and refuses nonsense."""
    import mujoco

    spent, steps = [], round(seconds / DT)
    for _ in range(REPEATS):
        data = mujoco.MjData(model)
        began = time.process_time()
        for step in range(steps):
            before_step(data, step * DT)
            mujoco.mj_step(model, data)
        spent.append(time.process_time() - began)
        after(data)
    return {"real_time": seconds / min(spent), "step_cost": 1e6 * min(spent) / steps}


# --- the rover -----------------------------------------------------------------------------------------------------------
def rover_model(ground):
    """Model, what is done before a step, and what is looked at in the end."""
    import mujoco

    m, arm, track, beside, axle = our_rover.MASS, our_rover.ARM, our_rover.TRACK, our_rover.LINKS, our_rover.RADIUS
    start, reach, cell = -1.0, 4.0, 0.1
    heights, origin = our_rover.hills(start, reach, cell)
    low, span = heights.min(), np.ptp(heights)
    rows, columns = heights.shape[1], heights.shape[0]
    middle = (start + cell * (columns - 1) / 2, 0.0, low)
    field = (f'<hfield name="hills" nrow="{rows}" ncol="{columns}" '
             f'size="{cell * (columns - 1) / 2} {-origin[1]} {span} 0.1"/>') if ground == "rough" else ""
    floor = f'type="hfield" hfield="hills" pos="{text(middle)}"' if ground == "rough" else 'type="plane" size="20 20 1"'
    sides = "".join(side_of_rover(side, y, m, arm, track, beside, axle) for side, y in our_rover.SIDES.items())
    nose = (our_rover.ARM, 0.0, 0.0)
    carrot = (our_rover.ARM + our_rover.REACH, 0.0, our_rover.PIVOT)
    model = mujoco.MjModel.from_xml_string(f"""
<mujoco>{OPTION}
 <asset>{field}</asset>
 <worldbody>
  <geom name="ground" {floor} friction="0.7 0.005 0.0001"/>
  <body name="carrot" mocap="true" pos="{text(carrot)}"><site name="carrot"/></body>
  <body name="body" pos="0 0 {our_rover.PIVOT}"><freejoint/>
   <geom type="box" size="0.3 0.15 0.075" mass="{m['body']}" contype="0" conaffinity="0"/><site name="nose" pos="{text(nose)}"/>
   <body name="bar" pos="0 0 {our_rover.ROOF - our_rover.PIVOT}"><joint name="bar" axis="0 0 1"/>
    <geom type="box" size="0.015 {beside} 0.015" mass="{m['bar']}" contype="0" conaffinity="0"/></body>
   {sides}
  </body>
 </worldbody>
 <equality><joint joint1="left rocker" joint2="right rocker" polycoef="0 -1 0 0 0"/>
  <joint joint1="left rocker" joint2="bar" polycoef="0 1 0 0 0"/></equality>
 <tendon><spatial stiffness="800" damping="200" springlength="{our_rover.REACH}"><site site="nose"/><site site="carrot"/>
 </spatial></tendon>
</mujoco>""")
    if ground == "rough":
        model.hfield_data[:] = ((heights - low) / span).T.ravel()

    def before_step(data, now):
        gone = our_rover.travelled(now, 0.25)
        up = float(our_rover.height(our_rover.ARM + gone, 0.0)) if ground == "rough" else 0.0
        data.mocap_pos[0] = carrot[0] + gone, 0.0, carrot[2] + up

    def after(data):
        gone, wanted = data.body("body").xpos[0], our_rover.travelled(ROVER, 0.25)
        if not abs(gone - wanted) < 0.15:
            raise RuntimeError(f"the rover went {gone} m, its carrot {wanted} m")

    return model, before_step, after


def side_of_rover(side, y, m, arm, track, beside, axle):
    """Rocker with its front wheel, bogie with the other two; places are those of the parent."""
    def wheel(name, x):
        return (f'<body pos="{x} {y * (track - beside)} 0"><joint name="{name}" axis="0 1 0"/><geom type="cylinder" '
                f'size="{our_rover.RADIUS} {our_rover.WIDTH / 2}" zaxis="0 1 0" mass="{m["wheel"]}" '
                'friction="0.7 0.005 0.0001"/></body>')

    drop, thin = axle - our_rover.PIVOT, our_rover.THIN / 2
    beam = f'type="box" contype="0" conaffinity="0" pos="{{x}} 0 {{z}}" size="{{half}} {thin} {thin}" mass="{{mass}}"'
    return f"""
   <body pos="0 {y * beside} 0"><joint name="{side} rocker" axis="0 1 0"/>
    <geom {beam.format(x=arm / 2, z=drop, half=1.5 * arm, mass=m['rocker'])}/>
    <body pos="{2 * arm} 0 {drop}">{wheel(f'{side} front', 0.0)}<inertial pos="0 0 0" mass="1e-6" diaginertia="1e-9 1e-9 1e-9"/>
    </body>
    <body pos="{-arm} 0 {drop}"><joint name="{side} bogie" axis="0 1 0"/>
     <geom {beam.format(x=0.0, z=0.0, half=arm, mass=m['bogie'])}/>{wheel(f'{side} middle', arm)}{wheel(f'{side} rear', -arm)}
    </body>
   </body>"""


# --- the hand ------------------------------------------------------------------------------------------------------------
def hand_model():
    """Fingers of boxes around a ball; each tip is pulled by a tendon to the middle; the table is a box that goes down."""
    import mujoco

    h = our_hand
    base = h.BALL - h.OVERHANG + sum(h.LENGTHS)
    out = h.BALL + h.GAP + h.PAD + h.WIDTH / 2
    fingers = "".join(finger_of_hand(name, 2 * np.pi / 3 * number, out, base) for number, name in enumerate(h.FINGERS))
    pulls = "".join(f'<spatial name="{name}" stiffness="{h.PULL}" damping="{h.PULL_DAMPING}" '
                    f'springlength="{h.BALL + h.PAD - 1.2 / h.PULL}"><site site="{name}"/><site site="heart"/></spatial>'
                    for name in h.FINGERS)
    model = mujoco.MjModel.from_xml_string(f"""
<mujoco>{OPTION}
 <default><geom friction="0.8 0.005 0.0001"/></default>
 <worldbody>
  <site name="heart" pos="0 0 {h.BALL}"/>
  <body name="table" mocap="true"><geom type="box" size="0.2 0.2 0.01" pos="0 0 -0.01" contype="2" conaffinity="2"/></body>
  <body name="ball" pos="0 0 {h.BALL}"><freejoint/><geom type="sphere" size="{h.BALL}" mass="{h.MASS}" contype="3"
   conaffinity="3"/></body>
  {fingers}
 </worldbody>
 <tendon>{pulls}</tendon>
</mujoco>""")
    times, depths = [0.0, *h.LOWERED], [0.0, 0.0, -h.DEPTH]

    def before_step(data, now):
        data.mocap_pos[0, 2] = np.interp(now, times, depths)

    def after(data):
        if not abs(data.body("ball").xpos[2] - h.BALL) < 0.01:
            raise RuntimeError(f"the ball is not held: it is at {data.body('ball').xpos}")

    return model, before_step, after


def finger_of_hand(name, angle, out, base):
    """Three links, one inside the other; the tip is on the last. Contact with the ball alone."""
    h = our_hand
    half, inside = h.WIDTH / 2, ""
    for number in (3, 2, 1):
        length = h.LENGTHS[number - 1]
        mass = h.DENSITY * h.WIDTH ** 2 * length
        own = ""
        if number == 3:
            at = -length + h.OVERHANG
            own = (f'<geom type="box" size="{h.PAD / 2} {half} {half}" pos="{-half - h.PAD / 2} 0 {at}" '
                   f'mass="{h.DENSITY * h.PAD * h.WIDTH ** 2}" contype="1" conaffinity="0"/>'
                   f'<site name="{name}" pos="{-half} 0 {at}"/>')
        place = f'pos="0 0 {-h.LENGTHS[number - 2]}"' if number > 1 else \
            f'pos="{out * np.cos(angle)} {out * np.sin(angle)} {base}" euler="0 0 {np.degrees(angle)}"'
        axis = "1 0 0" if number == 1 else "0 1 0"
        inside = (f'<body {place}><joint axis="{axis}" stiffness="0.05" damping="5e-4"/><geom type="box" '
                  f'size="{half} {half} {length / 2}" pos="0 0 {-length / 2}" mass="{mass}" contype="1" conaffinity="0"/>'
                  f'{own}{inside}</body>')
    return inside


def text(values):
    return " ".join(f"{float(value):.17g}" for value in values)
