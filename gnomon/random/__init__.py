"""gnomon.random: random numbers as functions of keys."""
