"""Devices, and what may not be changed once they are made."""
import subprocess
import sys

import pytest

from gnomon.base.settings import config, default_device
from gnomon.run import client


def run(program):
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


def test_devices():
    assert len(client.devices()) == len(client.local_devices()) == 8
    assert client.device_count() == client.local_device_count() == 8
    assert client.devices("cpu") == client.devices() and client.local_devices(0) == client.devices()
    assert client.default_backend() == "cpu"
    assert client.process_index() == 0 and client.process_count() == 1 and client.process_indices() == [0]
    assert client.default_device() is client.devices()[0]


def test_platforms_that_are_not_there():
    with pytest.raises(RuntimeError, match="Unknown backend: 'tpu' is not among the platforms present, cpu"):
        client.devices("tpu")
    with pytest.raises(ValueError, match="There is no process 3"):
        client.local_devices(3)


def test_default_device():
    with default_device(client.devices()[3]):
        assert client.default_device() is client.devices()[3]
    with default_device("cpu"):
        assert client.default_device() is client.devices()[0] and client.default_backend() == "cpu"


def test_settings_about_devices_come_too_late():
    client.devices()
    with pytest.raises(RuntimeError, match=r"num_cpu_devices=3 comes too late: the devices have been made \(8 cpu\)"):
        config.update("num_cpu_devices", 3)
    config.update("num_cpu_devices", 8)


def test_nothing_is_made_at_import():
    assert run("from gnomon.run import client, execute, transfer; import sys; "
               "print(client.is_started(), 'jax' in sys.modules, len(client.devices()), client.is_started())") == [
        "False", "False", "1", "True"]


def test_platforms_are_chosen_by_the_setting():
    assert run("from gnomon.base.settings import config; from gnomon.run import client\n"
               "config.update('platforms', 'cpu'); config.update('num_cpu_devices', 2)\n"
               "print(client.device_count())") == ["2"]
    assert run("from gnomon.base.settings import config; from gnomon.run import client\n"
               "config.update('platforms', 'tpu')\n"
               "try: client.devices()\n"
               "except RuntimeError as error: print(str(error))") == (
        "The setting platforms='tpu' asks for 'tpu', and no such platform is installed; there are cpu.".split())


def test_lapack_is_registered_once():
    client.register_lapack()
    client.register_lapack()
