"""Examples of gnomon.ops.slicing."""
from gnomon.ops.slicing import Concatenate, DynamicSlice, DynamicUpdateSlice, Pad, Rev, Slice, Split

from tests.laws.examples import example

MOVED = ("f32[4,5]", "i32[4,5]", "bool[4,5]", "bf16[4,5]", "c64[4,5]", "key<fry>[4,5]")
CONFIGS = (((1, -1, 0), (2, 0, 1)), ((-1, -1, 1), (-2, 3, 2)), ((-5, 3, 1), (0, 0, 0)), ((2, -7, 1), (0, -5, 0)),
           ((0, -3, 2), (0, 0, 0)), ((-4, 5, 3), (-9, 1, 2)))
ANYWHERE = (-3, 7)

EXAMPLES = [
    *[example(Slice((0, 1), (4, 5), (1, 2)), t) for t in MOVED],
    example(Slice((1, 2), (3, 2)), "f32[4,5]"),
    example(Slice((1, 0), (1, 5), (3, 1)), "f32[4,5]"),
    example(Slice((), ()), "f32[]"),

    *[example(Pad(config), "f32[4,5]", "f32[]") for config in CONFIGS],
    *[example(Pad(((1, 0, 0), (0, 1, 2))), t, t.split("[")[0] + "[]") for t in MOVED],
    example(Pad(((2, 1, 3),)), "f32[0]", "f32[]"),

    *[example(Concatenate(1), t, t.replace("5", "2"), t.replace("5", "0")) for t in MOVED],
    example(Concatenate(0), "f32[2,3]", "f32[1,3]", "f32[2,3]", "f32[4,3]"),

    *[example(Split((2, 0, 3), 1), t) for t in MOVED],
    example(Split((4,), 0), "f32[4,5]"),

    *[example(Rev((0, 1)), t) for t in MOVED],
    example(Rev((1,)), "f32[2,3,4]"),

    *[example(DynamicSlice((2, 3)), t, "i32[]", "i32[]", integers_in={0: (-5, 6), 1: ANYWHERE, 2: ANYWHERE})
      for t in MOVED],
    example(DynamicSlice((4, 1)), "f32[4,5]", "u8[]", "u8[]", integers_in=(0, 6)),
    example(DynamicSlice((0, 5)), "f32[4,5]", "i64[]", "i64[]", integers_in=ANYWHERE),

    *[example(DynamicUpdateSlice(), t, t.replace("4,5", "2,3"), "i32[]", "i32[]",
              integers_in={0: (-5, 6), 1: (-5, 6), 2: ANYWHERE, 3: ANYWHERE}) for t in MOVED],
    example(DynamicUpdateSlice(), "f32[4,5]", "f32[4,1]", "u8[]", "u8[]", integers_in=(0, 6)),
]
