"""Pictures of recordings: graphs by matplotlib, scenes by pyvista off screen; loaded when a picture is asked for."""
