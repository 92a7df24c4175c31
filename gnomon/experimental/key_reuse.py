"""Checking that no random key is used twice.

With the setting `debug_key_reuse` on, a key that is used a second time (drawn from, or split) is a `KeyReuseError` that names both
places. It works outside of `jit` and inside, through loops, branches and transforms; `random.clone` asks for the same key once more.
Keys in the old style, as `PRNGKey` makes them, are not looked at.

>>> import gnomon
>>> key = gnomon.random.key(0)
>>> with gnomon.debug_key_reuse(True):
...     x = gnomon.random.normal(key)
...     try:
...         y = gnomon.random.uniform(key)
...     except gnomon.errors.KeyReuseError as error:
...         print(str(error).split(" uses ")[0].split(" at ")[0])
random.uniform
"""
