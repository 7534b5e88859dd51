"""The law of motion: compiled sweeps over the tree; momentum, torque, energy; how the base reacts."""
