"""Pictures of contact: arrows for the forces on the bodies that touch, all on one scale."""
import numpy as np

from robotphi.view import solids, style
from robotphi.view.bodies import body_of_scene
from robotphi.view.stage import staged

LONGEST = 0.35        # of the scene's radius: the arrow of the largest force
FAINTEST = 0.01       # of the largest force: smaller ones are left out
PRESSURE, FRICTION = style.RED, style.AMBER


@staged
def picture_contacts(stage, path=None, frames=4, on_second=False, titles=None, **options):
    """Draw a scene at several frames with the pressure (red) and friction (amber) of each contact on its first part.

    Args:
        stage: the recording, or a Stage of it.
        frames: their number, evenly spread over the run, or their indices.
        on_second: show the forces on the second part of each contact instead.
        titles: one per frame; the instants where left out.
        options: as of `solids.picture_solids`.
    """
    chosen = stage.chosen(frames)
    titles = titles or stage.titles(chosen)
    body = body_of_scene(stage.scene)
    rounds = [thing.particles for thing in (*stage.rounds, *stage.balls)]
    body = body._replace(dots=np.unique(np.concatenate([body.dots, *rounds]).astype(int)))
    panels = [solids.Panel(body, stage.position(index), title=title, opacity=solids.SEEN_THROUGH)
              for index, title in zip(chosen, titles, strict=True)]
    shown = [stage.contacts(index) for index in chosen]
    largest = max((float(np.linalg.norm(force, axis=1).max(initial=0.0)) for contacts in shown
                   for force in (contacts.normal, contacts.friction)), default=0.0)
    scale = LONGEST * solids._frame(panels)[1] / largest if largest > 0.0 else 0.0
    panels = [panel._replace(arrows=_arrows(contacts, -scale if on_second else scale, FAINTEST * largest))
              for panel, contacts in zip(panels, shown, strict=True)]
    heading = f"largest force {largest:.3g} N; red: pressure, amber: friction, on the {'second' if on_second else 'first'} part"
    return solids.picture_solids(panels, path, **{"heading": heading, **options})


def _arrows(contacts, scale, faintest):
    """Arrows of one frame, those of hardly any force left out."""
    made = []
    for force, colour in ((contacts.normal, PRESSURE), (contacts.friction, FRICTION)):
        kept = np.linalg.norm(force, axis=1) > faintest
        made.append((contacts.point[kept], scale * force[kept], colour))
    return tuple(made)
