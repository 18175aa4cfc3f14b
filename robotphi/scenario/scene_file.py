"""Scene files as scenarios: a .yaml file is run and drawn like a scenario file; its parameters are its knobs."""
from inspect import Parameter, Signature

from robotphi.language import SceneFile

ENDINGS = (".yaml", ".yml")


class SceneModule:
    """What a scenario file offers, of a scene file: build, check and draw."""

    def __init__(self, path, allow=()):
        self.file, self.scene = SceneFile(path, allow), None
        self.parameters = self.file.parameters()
        self.keep = self.file.keep
        self.__doc__ = self.file.about
        self.build = _Build(self)

    def check(self, recording):
        """The figures that the file asks for."""
        return {name: figure.value(recording) for name, figure in self.file.figures(self.scene).items()}

    def draw(self, recording, folder):
        """Ledger and steps."""
        from robotphi.view import graphs

        return [graphs.draw_ledger(recording, folder / "ledger.png"), graphs.draw_steps(recording, folder / "steps.png")]


class _Build:
    """The function `build` of a scene file, whose knobs are the parameters of the file."""

    __name__ = "build"

    def __init__(self, module):
        self.module = module
        self.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY, default=each.default)
                                        for name, each in module.parameters.items()])

    def __call__(self, **values):
        self.module.scene = self.module.file.build(**values)
        return self.module.scene


def describe_scene_file(module):
    """What is in a scene file: what it is about, its parameters, and what its scene holds."""
    scene = module.build()
    told = {name: {"value": each.value, "unit": each.unit, "low": each.low, "high": each.high, "about": each.about}
            for name, each in module.parameters.items()}
    holds = {"particles": scene.particle_count, "rigids": len(scene.rigids), "joints": len(scene.joints)} | {
        f"{kind} springs": scene.spring_count(kind) for kind in scene.springs} | {"things that touch": len(scene.touching)}
    return {"scene": scene.name, "duration": scene.duration, "frames": scene.frames,
            "holds": {what: count for what, count in holds.items() if count},
            "figures": {name: f"{each.take} {each.of}" for name, each in module.file.figures(scene).items()},
            **({"record": list(module.keep)} if module.keep else {}), "parameters": told}
