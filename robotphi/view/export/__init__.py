"""Recordings as other programs read them: VTU, glTF, CSV; frame by frame, so that memory holds one of them."""
