"""The garbage collector waits while programs are written, in every thread, and goes on as it was."""
import gc
import threading

import pytest

from gnomon.base.garbage import waiting


def test_it_waits_until_the_last_one_is_done():
    assert gc.isenabled()
    with waiting:
        assert not gc.isenabled()
        inside, leave = threading.Event(), threading.Event()

        def other():
            with waiting:
                inside.set()
                leave.wait()
        thread = threading.Thread(target=other)
        thread.start()
        inside.wait()
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_it_goes_on_after_an_error_and_stays_off_where_it_was():
    with pytest.raises(ValueError), waiting:
        raise ValueError
    assert gc.isenabled()
    gc.disable()
    try:
        with waiting:
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
