"""All verbs over one mission, into one directory, with its page."""
