"""The identified robot for other tools: URDF, robot file, C, CasADi, matrices with their uncertainty."""
