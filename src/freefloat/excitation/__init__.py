"""Exciting motion: the trajectory that reveals the most, within all limits."""
