"""Vehicles of four and six wheels, on rockers and bogies or a soft chassis: dimensions, ground, what makes them go, and what
recordings tell of them."""
from robotphi.applications.rover.climbing import climbing_ratio, wheel_at_step
from robotphi.applications.rover.course import (
    DRIVES,
    STONES,
    VEHICLES,
    Course,
    add_vehicle,
    course_scene,
    left_to_go,
    rough_course,
)
from robotphi.applications.rover.ground import (
    Ground,
    add_boulders,
    add_step,
    hills,
    picture_ground,
    read_ground,
    standing_height,
)
from robotphi.applications.rover.guide import add_wheel_motors, draw_along, path_over, read_points
from robotphi.applications.rover.limits import (
    GRAVITY,
    climbs,
    driven_wheel,
    loads_at_rest,
    slide,
    slope_scene,
    towed_wheel,
)
from robotphi.applications.rover.passable import Clearance, clearance
from robotphi.applications.rover.report import RoverReport, rover_report
from robotphi.applications.rover.soft import SoftChassis, add_soft_rover
from robotphi.applications.rover.statics import level_loads
from robotphi.applications.rover.steer import steer_along
from robotphi.applications.rover.vehicle import WHEELS, RockerBogie, Vehicle, add_rover

__all__ = ["DRIVES", "GRAVITY", "STONES", "VEHICLES", "WHEELS", "Clearance", "Course", "Ground", "RockerBogie", "RoverReport",
           "SoftChassis", "Vehicle", "add_boulders", "add_rover", "add_soft_rover", "add_step", "add_vehicle",
           "add_wheel_motors", "clearance", "climbing_ratio", "climbs", "course_scene", "draw_along", "driven_wheel", "hills",
           "left_to_go", "level_loads", "loads_at_rest", "path_over", "picture_ground", "read_ground", "read_points",
           "rough_course", "rover_report", "slide", "slope_scene", "standing_height", "steer_along", "towed_wheel",
           "wheel_at_step"]
