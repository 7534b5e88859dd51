"""What the robot is: bodies, joints, wheels, and the files they come from."""
