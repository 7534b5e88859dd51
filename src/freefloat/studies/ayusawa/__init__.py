"""A design of the size of Ayusawa, Rioux, Yoshida, Venture and Gautier: two arms of seven joints, 294 variables."""
