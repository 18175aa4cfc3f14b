"""What people come for: hands, vehicles, knees, as functions that others call with dimensions of their own."""
