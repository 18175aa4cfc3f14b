"""Small URDF files for tests, and a real one."""

from robotphi.urdf import load_urdf
from tests import ROOT

ARM = ROOT / "data" / "urdf" / "ur5e.urdf"
INERTIAL = ('<inertial><origin xyz="{centre}"/><mass value="{mass}"/>'
            '<inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{i}"/></inertial>')


def link(name, mass=2.0, centre="0 0 0", i=0.01, more=""):
    return f'<link name="{name}">{INERTIAL.format(mass=mass, centre=centre, i=i) if mass else ""}{more}</link>'


def joint(name, kind, parent, child, more="", xyz="0 0 0", rpy="0 0 0"):
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/>{"" if "<limit" in more else limit}{more}</joint>')


def load(folder, *parts, **options):
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">{"".join(parts)}</robot>', encoding="utf-8")
    return load_urdf(path, **options)
