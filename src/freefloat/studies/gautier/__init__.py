"""The three-joint arm of Gautier and Khalil: energy model, optimum points, 15 base parameters."""
