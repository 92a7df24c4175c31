"""Writes exact.txt: elementwise functions and their derivatives at points that every float dtype can hold, computed by mpmath in 60 digits.

`python -m tests.laws.exact`, with mpmath installed; the tests read the file alone.
"""
import pathlib
import signal

FILE = pathlib.Path(__file__).with_suffix(".txt")
DIGITS = 24
# of 8 bits and between 2^-14 and 2^15, so that float16 and bfloat16 hold them; then what float32 holds, then what only float64 does
POINTS = [0, 1, -1, 0.5, -0.5, 2, -2, 0.25, 3.5, -3.5, 10, -10, 40, -40, 0.0078125, -0.0078125, 1.0078125, 0.99609375, -0.9921875, 100, -100, 2.0 ** -13]
WIDE, WIDEST = [2.0 ** -60, -2.0 ** -60, 2.0 ** 40, -2.0 ** 40, 2.0 ** 100, 2.0 ** -120, 1e-3, 9.3, -9.3], [2.0 ** 600, -2.0 ** 600, 2.0 ** -900]
LIMIT = {"erf": 1e3, "erfc": 1e3, "ndtr": 1e3,
         "gammaln": 1e3, "digamma": 1e3, "gamma": 1e3, "i0": 1e3, "i1": 1e3, "i0e": 1e3, "i1e": 1e3, "expi": 50, "exp1": 1e3, "ndtri": 1,
         "tan": 1e3, "sin": 1e3, "cos": 1e3, "sinc": 1e3, "spence": 1e3, "log_ndtr": 1e3, "erfinv": 1}
KINK = {"cbrt", "i0e", "i1e", "spence"}      # at 0


def functions(mp):
    """{name: function of mpmath's numbers} of one operand, and of two with the pairs that they are computed at."""
    def logaddexp(x, y, base=mp.e):
        high, low = (x, y) if x > y else (y, x)
        return high + mp.log1p(mp.power(base, low - high)) / mp.log(base)

    def divergence(p, q):
        return p * mp.log(p / q) - p + q

    one = {name: getattr(mp, name) for name in "sin cos tan sinh cosh tanh exp expm1 log log10 log1p sqrt erf erfc gamma".split()}
    one |= dict(expi=mp.ei, arcsin=mp.asin, arccos=mp.acos, arctan=mp.atan, arcsinh=mp.asinh, arccosh=mp.acosh, arctanh=mp.atanh, erfinv=mp.erfinv,
                exp2=lambda x: mp.power(2, x), log2=lambda x: mp.log(x, 2), cbrt=lambda x: mp.sign(x) * mp.cbrt(abs(x)), reciprocal=lambda x: 1 / x,
                sinc=lambda x: mp.mpf(1) if x == 0 else mp.sin(mp.pi * x) / (mp.pi * x), expit=lambda x: 1 / (1 + mp.exp(-x)),
                softplus=lambda x: mp.log1p(mp.exp(x)) if x < 50 else x + mp.log1p(mp.exp(-x)), silu=lambda x: x / (1 + mp.exp(-x)),
                gammaln=lambda x: mp.log(abs(mp.gamma(x))), digamma=lambda x: mp.psi(0, x), ndtr=mp.ncdf, log_ndtr=lambda x: mp.log(mp.ncdf(x)),
                ndtri=lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), logit=lambda x: mp.log(x) - mp.log1p(-x), entr=lambda x: -x * mp.log(x),
                i0=lambda x: mp.besseli(0, x), i1=lambda x: mp.besseli(1, x), i0e=lambda x: mp.besseli(0, x) * mp.exp(-abs(x)),
                i1e=lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), exp1=lambda x: mp.e1(x) if x > 0 else mp.nan, spence=lambda x: mp.polylog(2, 1 - x))
    positive = [(x, y) for x in (0.0078125, 0.25, 1, 1.5, 3.5, 10, 40) for y in (0.03125, 0.5, 1.0078125, 3.5, 12, 60)]
    near = [(x, x * (1 + d)) for x in (0.25, 1, 40) for d in (0.0078125, -0.00390625, 0.125)]
    signed = [(x, y) for x in (-40, -3.5, -0.5, 0.0078125, 1, 2.5, 100) for y in (-12, -0.75, 0.0078125, 1.5, 3, 60)]
    tail, wide = [(x, y) for x in (2.0 ** -60, 2.0 ** 100) for y in (2.0 ** -60, -2.0 ** 40)], [(2.0 ** 100, 3.0), (-2.0 ** 90, 7.0), (5.0, 2.0 ** -60)]
    two = {
        "power": (mp.power, positive), "float_power": (mp.power, positive), "arctan2": (mp.atan2, signed + tail), "hypot": (mp.hypot, signed + tail),
        "logaddexp": (logaddexp, signed), "logaddexp2": (lambda x, y: logaddexp(x, y, mp.mpf(2)), signed), "true_divide": (lambda x, y: x / y, signed),
        "fmod": (lambda x, y: mp.sign(x) * (abs(x) - mp.floor(abs(x) / abs(y)) * abs(y)), signed + wide),
        "remainder": (lambda x, y: x - mp.floor(x / y) * y, signed + wide), "floor_divide": (lambda x, y: mp.floor(x / y), signed),
        "gammainc": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), positive),
        "gammaincc": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), positive),
        "zeta": (lambda s, q: mp.zeta(s, q), [(s, q) for s in (1.0078125, 1.5, 2, 3, 12) for q in (0.0078125, 0.5, 1, 3.5, 100)]),
        "polygamma": (lambda n, x: mp.psi(int(n), x), [(n, x) for n in (1, 2, 5) for x in (0.03125, 1, 3.5, 100, -0.75, -9.75, -60.25, -900.25)]),
        "beta": (mp.beta, positive), "betaln": (lambda a, b: mp.log(mp.beta(a, b)), positive), "xlogy": (lambda x, y: x * mp.log(y), positive + near),
        "xlog1py": (lambda x, y: x * mp.log1p(y), positive + [(2, -0.5), (0.5, 2.0 ** -13)]),
        "rel_entr": (lambda p, q: p * mp.log(p / q), positive + near), "kl_div": (divergence, positive + near)}
    return one, two


def write():
    import mpmath as mp
    mp.mp.dps = 60

    def late(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)

    def exact(f, *at):
        """Digits of f there, or None where it is no finite real number."""
        signal.alarm(4)
        try:
            found = f(*[mp.mpf(x) for x in at])
        except (ValueError, ZeroDivisionError, TimeoutError, mp.libmp.ComplexResult, OverflowError, mp.libmp.NoConvergence):
            return None
        finally:
            signal.alarm(0)
        if isinstance(found, mp.mpc):
            found = found.real if found.imag == 0 else mp.nan
        if not mp.isfinite(found):
            return None
        if abs(found) < mp.mpf(10) ** (-4900 if any(at) else -50):       # differences at 0 leave a rest
            return "0"
        return mp.nstr(found, DIGITS, strip_zeros=True) if abs(found) < mp.mpf(10) ** 4900 else "inf" if found > 0 else "-inf"

    lines, (one, two) = [], functions(mp)
    for name, f in one.items():
        for x in POINTS + WIDE + WIDEST:
            if abs(x) > LIMIT.get(name, float("inf")) or exact(f, x) is None:
                continue
            smooth = 2.0 ** -61 < abs(x) < 2.0 ** 41 or x == 0 and name not in KINK
            slopes = [exact(lambda x: mp.diff(f, x, n), x) if smooth else None for n in (1, 2)]
            lines.append([name, float(x).hex(), exact(f, x), *[s or "-" for s in slopes]])
    for name, (f, pairs) in two.items():
        lines += [[name, float(x).hex(), float(y).hex(), exact(f, x, y)] for x, y in pairs if exact(f, x, y) is not None]
    FILE.write_text("".join(" ".join(line) + "\n" for line in lines))


if __name__ == "__main__":
    write()
