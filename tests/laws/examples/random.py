"""Examples of gnomon.ops.random."""
from gnomon.ops.random import (RandomBits, RandomClone, RandomFoldIn, RandomSeed, RandomSplit, RandomUnwrap, RandomWrap,
                               Threefry2x32, generator)

from tests.laws.examples import example

FRY = generator("threefry2x32")
KEYS = ("key<fry>[]", "key<fry>[3]", "key<fry>[2,3]")

EXAMPLES = [
    *[example(RandomSeed(FRY), t) for t in ("i32[]", "i32[3]", "u32[]", "i8[]", "u16[2]", "i64[]", "u64[3]")],
    *[example(RandomWrap(FRY), t) for t in ("u32[2]", "u32[3,2]")],
    *[example(op(FRY), t) for op in (RandomUnwrap, RandomClone) for t in KEYS],
    *[example(RandomSplit(shape, FRY), t) for shape in ((2,), (3, 2), (), (0,)) for t in KEYS],
    *[example(RandomFoldIn(FRY), t, t.replace("key<fry>", "u32")) for t in KEYS],
    *[example(RandomBits(width, shape, FRY), t) for width in (8, 16, 32, 64) for shape in ((), (5,), (2, 3), (0,), (300,))
      for t in KEYS[:2]],
    example(RandomBits(32, (40, 5), FRY), "key<fry>[2,3]"),
    *[example(Threefry2x32(), *types) for types in (("u32[]",) * 4, ("u32[]", "u32[]", "u32[5]", "u32[5]"),
                                                    ("u32[3,1]", "u32[3,1]", "u32[1,200]", "u32[1,200]"))],
]
