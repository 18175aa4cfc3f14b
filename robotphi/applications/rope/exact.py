"""What is known of ropes: turns round a post, link by link, and the overhand knot of an elastic rod."""
import numpy as np

BRAID = 0.492   # σ of the overhand knot: how much its three crossings rub, Audoly, Clauvelin & Neukirch (2007)


def turns_ratio(links, turn, post, radius, friction):
    """Largest ratio of the pulls at both ends of `links` that touch a post, each turned by `turn` [rad] against the last.

    A link touches with its middle, at R of the post's axis; its joints, at a = (R + r)/cos ½θ, pass forces that have no moment
    about them and grow by ρ from one to the next, inclined alike. With x = (ρ − 1)/(ρ + 1), c, s = cos, sin ½θ, the balance of
    one link (along, across, about the post's axis) leaves

        (c/s) (a/R − c) x² + a x/(μR) − s = 0

    For thin links of a thin rope ρ = e^{μθ} (Euler, Eytelwein); a thick one has its middle R + r from the axis, its friction R.
    """
    s, c = np.sin(turn / 2), np.cos(turn / 2)
    far = (post + radius) / (post * c)
    square, straight = c / s * (far - c), far / friction
    x = 2 * s / (straight + np.sqrt(straight ** 2 + 4 * square * s))
    return float(((1 + x) / (1 - x)) ** links)


def knot_radius(pull, bending, radius, friction=0.0, sign=1):
    """Radius of the loop of a loose overhand knot under a pull T [m]: T r²/B = ½ ε⁴ + sign σ μ ε³, ε = √(r/R).

    B. Audoly, N. Clauvelin, S. Neukirch: Elastic knots, Phys. Rev. Lett. 99, 164301 (2007): the leading order for ε → 0.

    Args:
        sign: 1 where it is being tightened, −1 where it loosens.
    """
    roots = np.roots([0.5, sign * BRAID * friction, 0.0, 0.0, -pull * radius ** 2 / bending])
    found = roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 1e-12)].real
    return float(radius / found.max() ** 2) if len(found) else np.inf


def loosening_friction(loop, radius):
    """The least friction that keeps a loop of a radius closed when nobody pulls: 2 σ μ = √(r/R), by the same equation."""
    return float(np.sqrt(radius / loop) / (2 * BRAID))
