"""What is wrong with data, robot file or fit, and what would help."""
