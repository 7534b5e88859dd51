"""How far a command is, on standard error."""
