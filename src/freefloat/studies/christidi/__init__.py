"""Christidi-Loumpasefski and Papadopoulos: a servicer with three joints, and the planar robot Cepheus."""
