"""Handles: what verbs give back, kept in statements by name and found again in the scene that is being said."""
from robotphi.scene.acts import PlacedAct
from robotphi.scene.blocks import Force, Grid, Joint, ParticleBlock, Rigid, Rod, Sensor, SpringBlock, SpringJoint, Springs
from robotphi.scene.checks import refuse
from robotphi.scene.commands import Command
from robotphi.scene.controllers import Controller
from robotphi.scene.motors import Motor
from robotphi.scene.objects import Placed
from robotphi.scene.statements import keep, kept_by_name
from robotphi.scene.touching import Touching

KINDS = {Rigid: "rigid", Springs: "springs", SpringBlock: "springs", ParticleBlock: "particles", Rod: "rod", Grid: "grid",
         Placed: "object", Touching: "touching", Force: "force", Joint: "joint", Motor: "motor", SpringJoint: "spring joint",
         PlacedAct: "act", Sensor: "sensor",
         Command: "command", Controller: "controller"}


for _class, _kind in KINDS.items():
    keep.register(_class, kept_by_name(_kind))


def handle(scene, kind, name):
    """The handle of that kind and name in a scene."""
    pools = {"object": (scene.objects, scene.touching), "touching": (scene.touching,), "rod": (scene._handles,),
             "grid": (scene._handles,), "sensor": ({sensor.name: sensor for sensor in scene.sensors},),
             "command": (scene.commands,), "controller": (scene.controllers,)}
    for pool in pools.get(kind, (scene.things,)):
        found = pool.get(name)
        found = getattr(found, "placed", found) if kind == "object" else found
        if found is not None and KINDS.get(type(found), _kind_of(found)) == kind:
            return Springs(found.name, found.kind, found.start, found.count) if isinstance(found, SpringBlock) else found
    return refuse("scene", f"there is no {kind} called {name!r} yet", "say first what is referred to")


def _kind_of(value):
    return next((kind for known, kind in KINDS.items() if isinstance(value, known)), "")
