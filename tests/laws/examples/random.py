"""Examples of gnomon.ops.random."""
import numpy as np

from gnomon.ops.random_gamma import RandomGamma
from gnomon.ops.random import (RandomAlgorithm, RandomBits, RandomClone, RandomFoldIn, RandomSeed, RandomSplit,
                               RandomUnwrap,
                               RandomWrap, RngBitGenerator, RngUniform, Threefry2x32, generator)

from tests.laws.examples import example

FRY = generator("threefry2x32")
KEYS = ("key<fry>[]", "key<fry>[3]", "key<fry>[2,3]")

EXAMPLES = [
    *[example(RandomSeed(FRY), t) for t in ("i32[]", "i32[3]", "u32[]", "i8[]", "u16[2]", "i64[]", "u64[3]")],
    *[example(RandomWrap(FRY), t) for t in ("u32[2]", "u32[3,2]")],
    *[example(op(FRY), t) for op in (RandomUnwrap, RandomClone) for t in KEYS],
    *[example(RandomSplit(shape, FRY), t) for shape in ((2,), (3, 2), (), (0,)) for t in KEYS],
    *[example(RandomFoldIn(FRY), t, t.replace("key<fry>", "u32")) for t in KEYS],
    *[example(RandomBits(width, shape, FRY), t) for width in (8, 16, 32, 64)
      for shape in ((), (5,), (2, 3), (0,), (300,))
      for t in KEYS[:2]],
    *[e for impl in map(generator, ("rbg", "unsafe_rbg")) for key in (f"key<{impl.tag}>[]", f"key<{impl.tag}>[3]")
      for e in [
        example(RandomSeed(impl), key.replace(f"key<{impl.tag}>", "i32")), example(RandomSplit((2,), impl), key),
        example(RandomFoldIn(impl), key, key.replace(f"key<{impl.tag}>", "u32")), example(RandomUnwrap(impl), key),
        *[example(RandomBits(width, (3, 5), impl), key) for width in (8, 16, 32, 64)]]],
    *[example(RngBitGenerator((3, 5), np.dtype(dtype), algorithm), key) for dtype, algorithm, key in [
        ("uint32", RandomAlgorithm.RNG_DEFAULT, "u32[4]"), ("uint8", RandomAlgorithm.RNG_PHILOX, "u32[4]"),
        ("uint64", RandomAlgorithm.RNG_THREE_FRY, "u64[2]"), ("uint16", RandomAlgorithm.RNG_DEFAULT, "u32[2,4]")]],
    example(RandomBits(32, (40, 5), FRY), "key<fry>[2,3]"),
    *[example(RandomBits(width, (3,), FRY), "key<fry>[20,15]") for width in (8, 32, 64)],
    *[example(Threefry2x32(), *types) for types in (("u32[]",) * 4, ("u32[]", "u32[]", "u32[5]", "u32[5]"),
                                                    ("u32[3,1]", "u32[3,1]", "u32[1,200]", "u32[1,200]"))],
]
PROPOSALS = {**dict.fromkeys(("jvp", "second"), "a step in the parameter may change which proposal is accepted"),
             "dtypes": "other dtypes draw other numbers"}
EXAMPLES += [example(RandomGamma(log_space, FRY), keys, a, low=0.3, high=4.0, native=True,
                     without=PROPOSALS)
             for log_space, keys, a in ((False, "key<fry>[]", "f32[4]"), (False, "key<fry>[2]", "f32[2,3]"), (True, "key<fry>[]", "bf16[3]"),
                                        (True, "key<fry>[]", "f64[2,2]"))]
EXAMPLES += [example(RandomGamma(False, generator("rbg")), "key<rbg>[2]", "f32[2,2]", low=0.3, high=4.0, native=True,
                     without=PROPOSALS)]
HIDDEN = dict.fromkeys(("eager", "vmap", "jvp", "dtypes"), "its numbers come from a hidden state")
EXAMPLES += [example(RngUniform((5,)), t, t, without=HIDDEN) for t in ("f32[]", "i32[]")]
