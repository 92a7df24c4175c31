"""gnomon.random: random numbers as functions of explicit keys.

A key is an array of dtype ``key<fry>``: make one from a seed with `key`, take new ones from it with `split` or
`fold_in`, and use each once. Equal keys give equal numbers, on every device and however an array is sharded.
"""
from gnomon.ops import primitive_named as _primitive_named
from gnomon.random.arrangement import *
from gnomon.random.continuous import *
from gnomon.random.counts import *
from gnomon.random.gammas import *
from gnomon.random.keys import *
from gnomon.random.uniforms import *
from gnomon.random.vectors import *

random_gamma_p = _primitive_named("random_gamma_p")
