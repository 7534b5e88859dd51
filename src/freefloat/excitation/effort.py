"""How much a search for a motion does unless told otherwise: the same in every verb."""

STARTS = 4  # local searches from random motions, of which the best counts
SHAKES = 10  # of the best two: finds better motions for less than further starts do
