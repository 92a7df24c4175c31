"""gnomon.lax: the operations themselves, as functions, and structured control flow."""
