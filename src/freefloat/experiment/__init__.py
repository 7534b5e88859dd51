"""Flying the experiment: simulation, sensors and their noise, recordings real and simulated."""
