"""What motion reveals: compiled sweeps over the tree, and the quantities linear in the parameters."""
