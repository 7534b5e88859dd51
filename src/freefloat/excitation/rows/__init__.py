"""Rows of the models that a motion fills, and the way back to the motion."""
