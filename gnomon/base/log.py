"""The log, under the name ``gnomon``: what the setting log_compiles tells."""
from __future__ import annotations

import logging

from gnomon.base.settings import current

logger = logging.getLogger("gnomon")


def log_compile(sentence: str) -> None:
    """Log, as a warning, a trace or a compilation and its time, where log_compiles is set."""
    if current.log_compiles:
        logger.warning(sentence)
