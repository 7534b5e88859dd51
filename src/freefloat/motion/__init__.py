"""How joints and wheels are commanded to move: trajectories, one file per shape."""
