"""Limits: what a motion must keep, as margins with exact derivatives."""
