"""From an objective and limits to a motion: coordinates, steps, many starts."""
