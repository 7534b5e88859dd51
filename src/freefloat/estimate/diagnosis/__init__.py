"""What is wrong with data, robot file or fit: noticed, named, and with advice."""
