"""Sensors, one file each: data-sheet fields, what it reads of a motion, its noise."""
