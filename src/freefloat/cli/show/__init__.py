"""Results for people, one file for what is shown; and as plain data where the result has no document of its own."""
