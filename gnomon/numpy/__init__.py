"""gnomon.numpy: NumPy's functions on Gnomon's arrays, with JAX's names and semantics."""
