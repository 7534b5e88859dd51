"""What swings: a robot with panels and with a tank, fitted as if it were rigid and as what it is."""
