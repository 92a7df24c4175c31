"""Transfer guards: what they refuse, let pass and log."""
import logging

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.errors import JaxRuntimeError

X = np.arange(3, dtype="f4")
GUARDS = {"host_to_device": gnomon.transfer_guard_host_to_device, "device_to_device": gnomon.transfer_guard_device_to_device,
          "device_to_host": gnomon.transfer_guard_device_to_host, "all": gnomon.transfer_guard}


@pytest.fixture(scope="module")
def calls():
    """Calls that copy, by the direction and by whether the user asks for it."""
    second = gnomon.devices()[1]
    here = jnp.asarray(X)
    f = gnomon.jit(lambda x: x + 1)
    f(here)
    return {("host_to_device", False): (lambda: f(X), lambda: f(2.0), lambda: here + X, lambda: jnp.asarray(X)),
            ("host_to_device", True): (lambda: gnomon.device_put(X), lambda: gnomon.device_put(X, second)),
            ("device_to_device", False): (lambda: gnomon.jit(jnp.sin, in_shardings=gnomon.sharding.SingleDeviceSharding(second))(here),),
            ("device_to_device", True): (lambda: gnomon.device_put(here, second),),
            ("none", False): (lambda: f(here), lambda: here + 1, lambda: jnp.ones(3), lambda: np.asarray(f(here)), lambda: gnomon.device_get(here))}


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("level", ["disallow", "disallow_explicit", "allow"])
def test_what_is_refused(calls, guard, level):
    for (direction, explicit), copies in calls.items():
        refused = guard in (direction, "all") and direction != "none" and (level == "disallow_explicit" or level == "disallow" and not explicit)
        for copy in copies:
            with GUARDS[guard](level):
                if refused:
                    with pytest.raises(JaxRuntimeError, match=f"Disallowed {direction.replace('_', '-')} transfer of a value of type float32"):
                        copy()
                else:
                    copy()


def test_what_is_logged(calls, caplog):
    with caplog.at_level(logging.WARNING, "gnomon"), gnomon.transfer_guard("log"):
        calls["host_to_device", False][0]()
        calls["host_to_device", True][0]()
    assert caplog.messages == ["host-to-device transfer of a value of type float32[3]"]
    with pytest.raises(JaxRuntimeError, match=r"Put it there with device_put first\.$"), gnomon.transfer_guard("disallow"):
        calls["host_to_device", False][0]()
