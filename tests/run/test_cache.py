"""Compiled programs on disk."""
import os

import numpy as np
import pytest

from gnomon.base.errors import GnomonWarning, JaxRuntimeError
from gnomon.base.settings import config
from gnomon.lower.plan import Plan
from gnomon.run.compile import compile, load
from gnomon.run.execute import make_call
from tests.run.hlo import array, doubling, f32


@pytest.fixture
def folder(tmp_path):
    settings = {"compilation_cache_dir": str(tmp_path / "programs"), "persistent_cache_min_compile_time_secs": 0.0}
    before = {name: config.read(name) for name in settings}
    for name, value in settings.items():
        config.update(name, value)
    yield tmp_path / "programs"
    for name, value in before.items():
        config.update(name, value)


def test_off_by_default():
    assert config.compilation_cache_dir is None
    assert not compile(doubling([f32(5)]), Plan()).from_cache


def test_the_second_time_comes_from_disk(folder):
    assert not compile(doubling([f32(5)]), Plan()).from_cache
    again = compile(doubling([f32(5)]), Plan())
    assert again.from_cache
    y, = make_call(again, [f32(5)])([array(np.arange(5))])
    np.testing.assert_array_equal(y, 2 * np.arange(5))
    assert len(os.listdir(folder)) == 1


def test_another_program_device_or_option_is_another_entry(folder):
    compile(doubling([f32(5)]), Plan())
    assert not compile(doubling([f32(6)]), Plan()).from_cache
    assert not compile(doubling([f32(5)]), Plan(compiler_options=(("xla_cpu_enable_fast_math", True),))).from_cache
    assert len(os.listdir(folder)) == 3


def test_programs_that_compile_fast_are_not_kept(folder):
    config.update("persistent_cache_min_compile_time_secs", 1000.0)
    compile(doubling([f32(5)]), Plan())
    assert not folder.exists()


def test_a_damaged_file_is_told_and_replaced(folder):
    compile(doubling([f32(5)]), Plan(name="f"))
    path, = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.warns(GnomonWarning, match="compiled program of f in .* cannot be read .*damaged"):
        assert not compile(doubling([f32(5)]), Plan(name="f")).from_cache
    assert compile(doubling([f32(5)]), Plan(name="f")).from_cache


def test_the_folder_keeps_its_size(folder):
    compile(doubling([f32(5)]), Plan())
    path, = folder.iterdir()
    os.utime(path, (1, 1))
    config.update("compilation_cache_max_size", path.stat().st_size + 100)
    try:
        compile(doubling([f32(6)]), Plan())
    finally:
        config.update("compilation_cache_max_size", -1)
    assert len(os.listdir(folder)) == 1 and not path.exists()


def test_a_folder_that_cannot_be_written(folder, tmp_path):
    (tmp_path / "programs").write_text("not a folder")
    with pytest.warns(GnomonWarning) as warned:
        compile(doubling([f32(5)]), Plan())
    assert ["it is compiled anew" in str(w.message) for w in warned] == [True, False]
    assert "cannot be kept in" in str(warned[1].message)


def test_serialize_and_load():
    executable = compile(doubling([f32(5)]), Plan(name="f"))
    y, = make_call(load(executable.serialize(), Plan()), [f32(5)])([array(np.arange(5))])
    np.testing.assert_array_equal(y, 2 * np.arange(5))
    with pytest.raises(JaxRuntimeError, match="The saved program f cannot be loaded by jaxlib"):
        load(b"something else", Plan(name="f"))
