"""gnomon.nn: activation functions and other pieces of neural networks."""
