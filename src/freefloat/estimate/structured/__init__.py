"""Clusters about the centre of mass and first moments over the mass, as what they are functions of."""
