"""Robots that can exist: the one that explains the data best."""
