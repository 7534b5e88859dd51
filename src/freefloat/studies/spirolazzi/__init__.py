"""Spirolazzi's thesis: seven joints that carry a known load, case study N1 and the OOS-SIM experiment."""
