"""Published procedures: intervals, optimum points, selection from random motions."""
