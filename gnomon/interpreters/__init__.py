"""Rules for primitives of one's own (see `extend.core.Primitive`), under the names of JAX's interpreters."""
