"""Values, dtypes, weak types and the kind of error of indexing, sorting, counting and the rest, against JAX's."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as gnp

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

VALUES = """x = jnp.arange(12.0).reshape(3, 4); i = jnp.array([3, 1, 2, 1, 3])
f = jnp.array([1.0, jnp.nan, 2.0, jnp.nan, -0.0, 0.0])
w = jnp.full((3,), 1.0); c = jnp.array([[1.0, 2.0], [3.0, 5.0]]); y = jnp.array([3.0, 1.0, 2.0, 4.0]); b = i > 1
h = jnp.array([1, 2, 3], jnp.float16); u = jnp.array([3, 0, 2], jnp.uint8); wild = jnp.array([7, -1, -6])"""
SAME = """
x[0]; x[-1, 1:3]; x[::-2, None]; x[..., 1]; x[wild[1]]; x[jnp.array([0, -1]), 1:3]; x[:, jnp.array([1, 0])]; i[b]
x[x > 5]; w[0]; w[1:]; w[wild]; u[wild]; h[None, 1]; x[True]; x[jnp.array(1)]; x[np.array([[0, 1], [2, 0]])]
x[wild, wild]; w.at[0].set(2.0); w.at[0].get(); w.at[0].set(jnp.float32(2)); w.at[0].add(2); i.at[0].set(2.7)
i.at[0].add(2.7); i.at[0].multiply(2.5); i.at[1].divide(2); i.at[wild].set(9); i.at[wild].add(1, mode='clip')
x.at[1, 2].max(9.0); x.at[wild].min(0.0); h.at[0].set(1.5); u.at[1].set(True); b.at[0].set(1)
x.at[wild].get(mode='fill'); i.at[wild].get(mode='fill'); u.at[wild].get(mode='fill', fill_value=4)
x.at[0].apply(jnp.sin); x.at[jnp.array([0, 0])].apply(lambda v: v + 1); w.at[wild].power(2); x[[0, 1]]; x['a']; x[1.0]
x[0, 0, 0]; jnp.take(x, 5, axis=0); jnp.take(x, wild); jnp.take(i, wild, mode='clip'); jnp.take(i, wild, mode='wrap')
jnp.take(w, 0); jnp.take(x, i, axis=5); jnp.take_along_axis(x, jnp.array([[0], [9], [-1]]), 1)
jnp.take_along_axis(i, wild, None); jnp.take(u, 0); jnp.take(x, [0, 1]); jnp.put(x, wild, 9, inplace=False)
jnp.put_along_axis(x, jnp.array([[0], [9], [-1]]), 99.0, axis=1, inplace=False)
jnp.choose(jnp.array([0, 1]), [5, jnp.array([4.0, 5.0])]); jnp.compress(jnp.array([True, False, True]), x, axis=0)
jnp.extract(b, i, size=5); jnp.place(x, x > 8, jnp.array([1.0, 2.0]), inplace=False)
jnp.unravel_index(jnp.array([5, 11, 12, -1, -13]), (3, 4)); jnp.argwhere(x > 8)
jnp.ravel_multi_index((jnp.array([0, 2]), jnp.array([1, 3])), (3, 4)); jnp.nonzero(x > 8, size=5, fill_value=-1)
jnp.flatnonzero(b); jnp.sort(f); jnp.sort(f, descending=True); jnp.argsort(i, descending=True); jnp.argsort(w)
jnp.sort(w); jnp.sort(h); jnp.sort(u); jnp.sort(b); jnp.sort(jnp.float32(1)); jnp.lexsort((i, i)); jnp.sort_complex(i)
jnp.searchsorted(y, 2); jnp.searchsorted(u, h); jnp.digitize(y, jnp.array([1.0, 2.5]))
jnp.unique(i, True, True, True); jnp.unique(f); jnp.unique(x, axis=1); jnp.unique(w); jnp.unique(3)
jnp.unique(i, size=6, return_counts=True); jnp.union1d(i, y); jnp.intersect1d(i, u, return_indices=True)
jnp.setdiff1d(i, u); jnp.setxor1d(i, u); jnp.isin(i, u); jnp.isin(f, f); jnp.bincount(i)
jnp.bincount(i, weights=h.repeat(2)[:5]); jnp.bincount(u, length=3); jnp.bincount(f); jnp.histogram(i)
jnp.histogram(y, 3, density=True); jnp.histogram(h, 3); jnp.histogram2d(y, y, 2); jnp.histogramdd(c, 2, weights=y[:2])
jnp.cov(i); jnp.cov(c); jnp.cov(h); jnp.corrcoef(c); jnp.diff(i); jnp.diff(b); jnp.diff(w); jnp.diff(u, prepend=1)
jnp.ediff1d(i, 9); jnp.gradient(i); jnp.gradient(h); jnp.gradient(w); jnp.gradient(c); jnp.unwrap(y)
jnp.unwrap(i, period=4); jnp.trapezoid(i); jnp.trapezoid(h); jnp.trapezoid(y, dx=2); jnp.interp(2.5, i[:3].sort(), h)
jnp.interp(y, y.sort(), y); jnp.convolve(i, i); jnp.convolve(h, u); jnp.correlate(y, y); jnp.bartlett(4)
jnp.kaiser(4, 1.0); jnp.polyval(i, 2); jnp.polyval(y, 2); jnp.polyval(h, 2); jnp.polyadd(i, y); jnp.polysub(i, i)
jnp.polymul(i, u); jnp.polydiv(y, c[0]); jnp.polyder(i); jnp.polyint(i); jnp.polyint(h, 2, k=1); jnp.poly(i)
jnp.poly(h); jnp.roots(jnp.array([1, -3, 2])); jnp.polyfit(y, y, 1); jnp.fft.fft(i); jnp.fft.fft(h); jnp.fft.rfft(w)
jnp.fft.irfft(y); jnp.fft.fftn(x); jnp.fft.hfft(y); jnp.fft.fftfreq(4); jnp.fft.fftshift(u); jnp.fft.fft(w)
jnp.fft.fft(jnp.float32(1)); jnp.fft.rfft(y + 1j)
"""
CASES = [case.strip() for line in SAME.splitlines() for case in line.split(";") if case.strip()]


def answer(expression, jnp):
    names = {"jnp": jnp, "np": np}
    for line in VALUES.splitlines():
        for statement in line.split(";"):
            exec(statement.strip(), names)
    try:
        out = eval(expression, names)
    except Exception as error:
        return next(k.__name__ for k in (ValueError, IndexError, TypeError, Exception) if isinstance(error, k))
    out = out if isinstance(out, (tuple, list)) else [out]
    flat = [x for o in out for x in (o if isinstance(o, list) else [o])]
    return [(str(x.dtype), x.shape, bool(x.weak_type), np.asarray(x)) for x in flat]


@pytest.mark.parametrize("case", CASES)
def test_same_results(case, peer):
    ours, theirs = answer(case, gnp), answer(case, peer.numpy)
    if isinstance(ours, str) or isinstance(theirs, str):
        assert isinstance(ours, str) and ours == theirs
        return
    assert [o[:3] for o in ours] == [t[:3] for t in theirs]
    for o, t in zip(ours, theirs):
        np.testing.assert_allclose(o[3], t[3], 1e-4, 1e-4)


def test_gnomon_ran():
    assert gnomon.numpy is gnp
