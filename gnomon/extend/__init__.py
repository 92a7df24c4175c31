"""For those who build on Gnomon: programs, primitives and what is behind the public functions."""
