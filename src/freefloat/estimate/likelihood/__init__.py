"""Estimators that predict what sensors read, and fit that: the motion predicted, its derivatives, the search."""
