"""freefloat weighs robots where nothing has weight."""
