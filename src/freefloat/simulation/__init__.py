"""Flights on the desk: prescribed joints, drives, pulses, disturbances, and what the sensors record of them."""
