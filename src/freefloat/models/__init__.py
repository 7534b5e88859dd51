"""What is linear in what: models, minimal parameters, clusters, identifiability in words."""
