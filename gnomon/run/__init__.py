"""The runtime: devices, compiled programs and arrays. The only room that imports jaxlib."""
