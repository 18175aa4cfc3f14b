"""What can be told of a scene before it is run: what sets its step, how many steps at least, and what is likely to be wrong."""
