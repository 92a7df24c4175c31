"""The log, under the name ``gnomon``: what the setting log_compiles tells."""
from __future__ import annotations

from gnomon.base.late import Late
from gnomon.base.settings import current

logging = Late("logging")


def log_compile(sentence: str) -> None:
    """Log, as a warning, a trace or a compilation and its time, where log_compiles is set."""
    if current.log_compiles:
        logging.getLogger("gnomon").warning(sentence)
