"""Run: a model moved from frame to frame, or let down to rest."""
