"""The sections of a run's page: what each says, as plain data for its template, and its figures."""
