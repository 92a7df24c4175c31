"""The tests of gnomon; `make test` runs them in groups."""
