"""Goals: what is made small, and its exact derivative."""
