"""What links and joints of a robot are called in a scene, whose names are unique and have neither `/` nor `:`."""

OTHERS = str.maketrans("/:", "__")


def plain(name):
    """The name of a link or joint as a scene can have it."""
    return name.translate(OTHERS)


def joint_name(robot, name, joint):
    """That of a joint of the robot `name`: where a link is called so as well, the joint says that it is one."""
    own = f"{name}.{plain(joint)}"
    return f"{own}.joint" if plain(joint) in {plain(link) for link in robot.links} else own


def notes_on_names(robot, name, joints):
    """Sentences on the bodies, links and joints that have other names in the scene."""
    taken = [(f"joint {one!r}", joint_name(robot, name, one)) for one in joints
             if joint_name(robot, name, one) != f"{name}.{one}"]
    taken += [(f"link {one!r}", f"{name}.{plain(one)}") for one in robot.links if plain(one) != one]
    return tuple(f"{what} is called {other!r} in the scene" for what, other in taken)
