"""Pages for people: recordings and results as one self-contained HTML file each."""
