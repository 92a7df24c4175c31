"""Checks inside compiled programs. Gnomon has none yet: the names are here so that code which only imports them runs."""
from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.base.errors import JaxRuntimeError

_WHY = "checks inside compiled programs are not there; check inputs before the call, return a flag from the function, or raise from "\
       "debug.callback"
Error = _absent_class("checkify.Error", _WHY)
check, check_error, checkify, debug_check = (_Absent(f"checkify.{name}", _WHY) for name in
                                             ("check", "check_error", "checkify", "debug_check"))
ErrorCategory = str     # what the sets below hold
user_checks, nan_checks, div_checks, index_checks = (frozenset([name]) for name in ("user", "nan", "div", "index"))
float_checks = nan_checks | div_checks
automatic_checks = float_checks | index_checks
all_checks = automatic_checks | user_checks

__all__ = ["Error", "ErrorCategory", "JaxRuntimeError", "all_checks", "automatic_checks", "check", "check_error", "checkify", "debug_check", "div_checks",
           "float_checks", "index_checks", "nan_checks", "user_checks"]
