"""What of a run may stay in its file beside places, velocities and energies: words that users choose from."""
KEPT = {"checkpoint": "what a run needs to go on from a frame", "contacts": "tables of what touches",
        "sensors": "readings of sensors"}
FRAMES, EVERY = "frames", "every="   # none of these; each so many frames
