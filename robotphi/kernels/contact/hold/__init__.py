"""Hold: friction by anchored springs."""
