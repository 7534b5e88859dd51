"""Rows of one or several models, stacked: the linear view of a problem."""
