"""Estimators that solve rows: one method per file."""
