"""An identified robot for other programs: matrices, files, code for controllers."""
