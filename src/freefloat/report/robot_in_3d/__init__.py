"""The robot in 3D along its motion: surfaces, where they are, how well the centres of mass are known."""
