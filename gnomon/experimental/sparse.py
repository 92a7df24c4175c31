"""Sparse arrays. Gnomon has none: the names are here so that code which only imports them, or asks what an array is, runs."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class

_WHY = "there are no sparse arrays; use dense ones, or segment_sum and gathers"
BCOO, BCSR, COO, CSC, CSR, JAXSparse = (_absent_class(f"sparse.{name}", _WHY) for name in ("BCOO", "BCSR", "COO", "CSC", "CSR", "JAXSparse"))
sparsify, todense, bcoo_fromdense, bcoo_dot_general, empty, eye, grad, value_and_grad, jacfwd, jacrev = (
    _Absent(f"sparse.{name}", _WHY) for name in ("sparsify", "todense", "bcoo_fromdense", "bcoo_dot_general", "empty", "eye", "grad",
                                                 "value_and_grad", "jacfwd", "jacrev"))

__all__ = ["BCOO", "BCSR", "COO", "CSC", "CSR", "JAXSparse", "bcoo_dot_general", "bcoo_fromdense", "empty", "eye", "grad", "jacfwd", "jacrev",
           "sparsify", "todense", "value_and_grad"]
