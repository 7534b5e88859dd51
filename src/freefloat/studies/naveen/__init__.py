"""The dual-arm space robot of Naveen, Shah and Misra: momentum model, cycloidal intervals, 52 minimal parameters."""
