"""The road to chaos of x -> r x (1 - x): its periods, and Feigenbaum's constant.

    python examples/logistic_map.py

`while_loop` runs until an orbit closes; `vmap` does so for many r at once, each stopping at its own time. Newton's
method on the 2^n-th iterate needs that iterate's derivative by r, which `jvp` carries through the loop.
"""
import gnomon as jax
import gnomon.numpy as jnp
from gnomon import lax

jax.config.update("jax_enable_x64", True)

LONGEST = 64
FEIGENBAUM = 4.669201609
PERIODS = {2.8: 1, 3.2: 2, 3.5: 4, 3.55: 8, 3.83: 3, 3.74: 5, 4.0: LONGEST}


def logistic(r, x):
    return r * x * (1 - x)


def period(r):
    """Length of the cycle that r settles on, or LONGEST where it is at least that long or chaotic."""
    settled = lax.fori_loop(0, 5000, lambda _, x: logistic(r, x), 0.4)

    def open_orbit(state):
        x, count = state
        return (count == 0) | ((jnp.abs(x - settled) > 1e-9) & (count < LONGEST))

    return lax.while_loop(open_orbit, lambda state: (logistic(r, state[0]), state[1] + 1), (settled, 0))[1]


def superstable(guess, n):
    """The r near `guess` for which 1/2 lies on a cycle of length 2^n, by Newton's method."""
    def miss(r):
        return lax.fori_loop(0, 2 ** n, lambda _, x: logistic(r, x), 0.5) - 0.5

    def newton(state):
        r, _ = state
        value, slope = jax.jvp(miss, (r,), (1.0,))
        return r - value / slope, value / slope

    return lax.while_loop(lambda state: jnp.abs(state[1]) > 1e-13, newton, (guess, 1.0))[0]


def feigenbaum(levels=9):
    """Ratios of successive gaps between the superstable r; they converge to Feigenbaum's constant."""
    found = [2.0, float(superstable(3.2, 1))]
    ratios = []
    for n in range(2, levels):
        guess = found[-1] + (found[-1] - found[-2]) / (ratios[-1] if ratios else 4.5)
        found.append(float(superstable(guess, n)))
        ratios.append((found[-2] - found[-3]) / (found[-1] - found[-2]))
    return ratios


def main():
    periods = jax.jit(jax.vmap(period))(jnp.array(list(PERIODS)))
    for r, found in zip(PERIODS, periods):
        print(f"r = {r:<5} " + (f"period {int(found)}" if found < LONGEST else "no short period"))
    if list(map(int, periods)) != list(PERIODS.values()):
        raise SystemExit("a period is wrong")
    ratios = feigenbaum()
    print("gap ratios  " + "  ".join(f"{ratio:.5f}" for ratio in ratios))
    if abs(ratios[-1] - FEIGENBAUM) > 1e-4:
        raise SystemExit(f"the last ratio should be near {FEIGENBAUM}")


if __name__ == "__main__":
    main()
