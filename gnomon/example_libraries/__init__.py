"""What JAX keeps under `jax.example_libraries`, as far as packages use it: optimizers and stax."""
