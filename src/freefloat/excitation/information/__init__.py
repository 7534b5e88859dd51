"""What sensors tell of all unknowns: the rows of the likelihood, and the way back to the motion."""
