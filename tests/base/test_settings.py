"""Settings: values and their checks, with-blocks, threads, the key, the environment."""
import gc
import os
import pathlib
import re
import subprocess
import sys
import threading
import weakref

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gnomon.base import settings
from gnomon.run import client
from gnomon.base.errors import GnomonWarning
from gnomon.base.settings import TABLE, config, current


@pytest.fixture(autouse=True)
def as_before():
    before = dict(settings.for_all)
    yield
    for name, value in before.items():
        if settings.for_all[name] != value:
            settings.put(TABLE[name], value)
    assert config.values == before


def in_thread(function):
    """The result of `function` in a new thread."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, **environment})


# --- names and values ---


def test_every_row_takes_its_default_and_says_what_it_does():
    for name, setting in TABLE.items():
        if not (setting.whole_process and client.is_started()):     # those are fixed once the devices are made
            assert setting.check(setting.default) == setting.default, name
        assert setting.sentence, name
        assert setting.effect or not setting.in_key, name


def test_every_setting_with_an_effect_is_read_somewhere():
    package = pathlib.Path(settings.PACKAGE)
    text = "\n".join(path.read_text() for path in package.rglob("*.py") if path != pathlib.Path(settings.__file__))
    said_elsewhere = {"roll", "outline"}  # names of other things too: only `current.roll` counts
    unread = [name for name, setting in TABLE.items() if setting.effect and not setting.also and not re.search(
        rf"current\.{name}\b" if name in said_elsewhere else rf"[.\"']{name}\b", text)]
    assert not unread, "move these rows to NO_EFFECT, or have them read: " + ", ".join(unread)


def test_update_and_read_with_and_without_prefix():
    config.update("jax_enable_x64", True)
    assert config.enable_x64 and config.jax_enable_x64 and config.x64_enabled and current.enable_x64
    assert config.read("jax_enable_x64") and config.values["enable_x64"] and config.values["jax_enable_x64"]
    config.update("enable_x64", False)
    assert not settings.enable_x64.value


@pytest.mark.parametrize("name, value, sentence", [
    ("enable_x64", "yes", "enable_x64 takes True or False, not 'yes'."),
    ("enable_x64", None, "enable_x64 takes True or False, not None."),
    ("enable_x64", 2, "enable_x64 takes True or False, not 2."),
    ("enable_x64", [True], "enable_x64 takes True or False, not [True]."),
    ("num_cpu_devices", "8", "num_cpu_devices takes an integer, not '8'."),
    ("num_cpu_devices", 4.5, "num_cpu_devices takes an integer, not 4.5."),
    ("num_cpu_devices", True, "num_cpu_devices takes an integer, not True."),
    ("memory_fitting_effort", "1", "memory_fitting_effort takes a number, not '1'."),
    ("platforms", 3, "platforms takes a string or None, not 3."),
    ("default_device", [], "default_device takes a hashable object, not []."),
    ("numpy_dtype_promotion", "stric",
     "numpy_dtype_promotion takes 'standard' or 'strict', not 'stric' (did you mean 'strict'?)."),
    ("transfer_guard", "no", "transfer_guard takes 'allow' or 'log' or 'disallow' or 'log_explicit' or "
     "'disallow_explicit' or None, not 'no'."),
])
def test_a_wrong_value_is_refused_and_changes_nothing(name, value, sentence):
    with pytest.raises(ValueError) as caught:
        config.update(name, value)
    assert str(caught.value) == sentence
    assert config.read(name) == TABLE[name].default or name == "num_cpu_devices"


@pytest.mark.parametrize("name, given, kept", [
    ("enable_x64", 1, True), ("persistent_cache_min_compile_time_secs", 2, 2.0), ("default_device", "cpu", "cpu"),
    ("default_matmul_precision", None, None), ("default_matmul_precision", "highest", "highest"),
])
def test_a_value_is_kept_in_one_form(name, given, kept):
    config.update(name, given)
    assert config.read(name) == kept and type(config.read(name)) is type(kept)


def test_a_path_is_taken_for_a_string(tmp_path):
    config.update("compilation_cache_dir", tmp_path)
    assert current.compilation_cache_dir == str(tmp_path)


@pytest.mark.parametrize("use", [
    lambda: config.update("jax_enable_x65", True), lambda: config.enable_x65, lambda: config.read("enable_x65"),
])
def test_an_unknown_name_is_refused_with_the_nearest(use):
    with pytest.raises(AttributeError, match=r"no setting '(jax_)?enable_x65' \(did you mean 'enable_x64'\?\)"):
        use()


def test_config_cannot_be_assigned_to():
    with pytest.raises(AttributeError, match=r"use config.update\('enable_x64', True\)"):
        config.enable_x64 = True


def test_values_is_a_copy():
    config.values["enable_x64"] = True
    assert not current.enable_x64
    with pytest.raises(KeyError, match="enable_x65"):
        config.values["enable_x65"]


def test_repr_shows_what_differs():
    with settings.enable_x64(True):
        assert "enable_x64=True" in repr(config) and "roll" not in repr(config)
        assert repr(settings.enable_x64) == "<setting enable_x64=True>"


def test_a_setting_is_neither_true_nor_false():
    with pytest.raises(TypeError, match=r"use enable_x64\.value"):
        bool(settings.enable_x64)


def test_dir_lists_the_settings():
    assert {"update", "enable_x64", "jax_enable_x64", "outline"} <= set(dir(config))
    assert "jax_outline" not in dir(config)


# --- with blocks ---


def another(setting):
    """A value other than the default, and how an environment variable spells it."""
    kind = setting.kind
    if kind is bool:
        return not setting.default, str(not setting.default)
    if kind is int or kind is float:
        return (setting.default or 0) + 1, str((setting.default or 0) + 1)
    if kind is str or kind is object:
        return "cpu", "cpu"
    word = next(word for word in kind if word != setting.default)
    return word, word


@pytest.mark.parametrize("prefix", ["GNOMON_", "JAX_"])
def test_every_setting_is_set_in_every_way(prefix, monkeypatch):
    monkeypatch.setattr(settings, "notify", lambda sentence: None)        # many have no effect and say so
    for name, setting in TABLE.items():
        value, text = another(setting)
        monkeypatch.setattr(setting, "watchers", [])                      # some values are only for other machines
        for spelled in (name, "jax_" + name):
            config.update(spelled, value)
            assert config.values[spelled] == getattr(config, spelled) == config.read(spelled) == value
            config.update(spelled, setting.default)
            if setting.whole_process:
                with pytest.raises(TypeError, match="holds for the whole process"):
                    config.using(spelled, value)
            else:
                with config.using(spelled, value):
                    assert config.read(name) == value
        assert config.read(name) == setting.default
        with monkeypatch.context() as environment:
            environment.setenv(prefix + name.upper(), text)
            settings.read_environment(prefix)
        assert config.read(name) == (value if prefix == "GNOMON_" or name not in settings.OWN else setting.default)
        settings.put(setting, setting.default)


def test_with_blocks_nest_and_end():
    with settings.numpy_rank_promotion("warn"):
        with settings.numpy_rank_promotion("raise"), settings.enable_x64():
            assert (current.numpy_rank_promotion, current.enable_x64) == ("raise", True)
        assert (current.numpy_rank_promotion, current.enable_x64) == ("warn", False)
    assert current.numpy_rank_promotion == "allow"


def test_a_with_block_ends_after_an_error():
    with pytest.raises(ZeroDivisionError), settings.enable_x64(True):
        1 / 0
    assert not current.enable_x64


def test_a_context_manager_can_be_used_again_and_inside_itself():
    wide = settings.enable_x64(True)
    for _ in range(2):
        with wide, wide:
            assert current.enable_x64
        assert not current.enable_x64


def test_as_a_decorator():
    @settings.enable_x64(True)
    def wide(x):
        """Says whether."""
        return x, current.enable_x64

    assert wide(1) == (1, True) and wide.__doc__ == "Says whether."
    assert not current.enable_x64


def test_a_wrong_value_is_refused_before_the_block():
    with pytest.raises(ValueError, match="did you mean 'strict'"):
        settings.numpy_dtype_promotion("strct")
    with pytest.raises(TypeError, match="numpy_rank_promotion takes one value, 'allow' or 'warn' or 'raise'; got 0"):
        settings.numpy_rank_promotion()
    with pytest.raises(TypeError, match="got 2 values"):
        settings.enable_x64(True, False)


def test_a_setting_of_the_whole_process_has_no_with_block():
    with pytest.raises(TypeError, match=r"use config.update\('num_cpu_devices', ...\)"):
        TABLE["num_cpu_devices"](2)


def test_transfer_guard_sets_the_three():
    three = ("transfer_guard_host_to_device", "transfer_guard_device_to_device", "transfer_guard_device_to_host")
    with settings.transfer_guard("disallow"):
        assert {config.read(name) for name in three} == {"disallow"}
        with settings.transfer_guard_device_to_host("log"):
            assert [config.read(name) for name in three] == ["disallow", "disallow", "log"]
    assert {config.read(name) for name in three} == {None}
    config.update("transfer_guard", "log")
    assert {config.read(name) for name in three} == {"log"}


# --- threads ---


def test_update_reaches_threads_that_run_already():
    seen, ready, go = [], threading.Event(), threading.Event()

    def work():
        seen.append(current.enable_x64)
        ready.set()
        go.wait(10)
        seen.append(current.enable_x64)

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait(10)
    config.update("enable_x64", True)
    go.set()
    thread.join()
    assert seen == [False, True]


def test_update_reaches_later_threads_and_a_with_block_does_not():
    config.update("numpy_rank_promotion", "warn")
    with settings.enable_x64(True):
        assert in_thread(lambda: (current.numpy_rank_promotion, current.enable_x64)) == ("warn", False)


def test_update_waits_for_the_end_of_a_with_block_in_this_thread():
    with settings.enable_x64(False):
        config.update("enable_x64", True)
        assert not current.enable_x64
        assert in_thread(lambda: current.enable_x64)
    assert current.enable_x64


def test_one_context_manager_in_two_threads():
    wide = settings.enable_x64(True)
    with wide:
        def work():
            before = current.enable_x64
            with wide:
                inside = current.enable_x64
            return before, inside, current.enable_x64
        assert in_thread(work) == (False, True, False)
        assert current.enable_x64


def test_a_thread_that_has_ended_is_forgotten_at_once():
    gc.collect()
    before = len(settings.threads)
    gc.disable()
    try:
        gone = in_thread(lambda: (current.enable_x64, weakref.ref(settings.own.thread))[1])
        assert gone() is None and len(settings.threads) == before
    finally:
        gc.enable()


def test_many_threads_update_and_read():
    """Whatever the order, everyone sees the last update, and with-blocks only their own value."""
    wrong = []
    offset = TABLE["random_seed_offset"]

    def work(number):
        for i in range(200):
            config.update("random_seed_offset", number)
            with offset(1000 + number):
                if current.random_seed_offset != 1000 + number:
                    wrong.append((number, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert current.random_seed_offset in range(8)
    assert in_thread(lambda: current.random_seed_offset) == current.random_seed_offset
    assert current.key[settings.KEY_NAMES.index("random_seed_offset")] == current.random_seed_offset


# --- the key ---


def test_the_key_is_one_object_for_equal_values():
    plain = current.key
    with settings.enable_x64(True):
        wide = current.key
        with settings.log_compiles(True):
            assert current.key is wide
        with settings.enable_x64(False):
            assert current.key is plain
    assert current.key is plain and wide is not plain and wide != plain
    with settings.enable_x64(True):
        assert current.key is wide
    assert in_thread(lambda: current.key) is plain
    assert dict(zip(settings.KEY_NAMES, wide))["enable_x64"] is True


values = {name: st.sampled_from(TABLE[name].kind) if isinstance(TABLE[name].kind, tuple) else st.booleans()
          for name in ("enable_x64", "numpy_dtype_promotion", "numpy_rank_promotion", "outline", "disable_jit",
                       "announce", "log_compiles", "default_matmul_precision")}
changes = st.sampled_from(sorted(values)).flatmap(lambda name: st.tuples(st.just(name), values[name]))


@given(st.lists(st.tuples(st.sampled_from(["update", "enter", "leave"]), changes), max_size=20))
def test_settings_follow_a_simple_model(steps):
    """The value is that of the innermost open block, else that of the last update; the key follows the values."""
    model, stacks, blocks = {name: TABLE[name].default for name in values}, {name: [] for name in values}, []
    try:
        for step, (name, value) in steps:
            if step == "update":
                config.update(name, value)
                model[name] = value
            elif step == "enter":
                blocks.append((name, TABLE[name](value)))
                blocks[-1][1].__enter__()
                stacks[name].append(value)
            elif blocks:
                name, block = blocks.pop()
                block.__exit__(None, None, None)
                stacks[name].pop()
            for name in values:
                assert config.read(name) == (stacks[name][-1] if stacks[name] else model[name])
            assert in_thread(lambda: {name: config.read(name) for name in values}) == model
            assert tuple(current.key) == tuple(map(config.read, settings.KEY_NAMES))
            assert current.key is settings.keys[tuple(current.key)]
    finally:
        for _, block in reversed(blocks):
            block.__exit__(None, None, None)
        for name in values:
            config.update(name, TABLE[name].default)


# --- telling the user ---


def test_a_setting_without_effect_is_told_at_the_users_line():
    with pytest.warns(GnomonWarning, match=r"remat3=True has no effect in Gnomon: ") as told:
        config.update("jax_remat3", True)
    assert told[0].filename == __file__
    with pytest.warns(GnomonWarning, match="has no effect"):
        with TABLE["scan3"](True):
            pass


def test_the_default_of_a_setting_without_effect_is_not_told(recwarn):
    config.update("jax_remat3", False)
    assert not recwarn


def test_notify_obeys_announce(recwarn):
    with settings.announce("silent"):
        settings.notify("quiet")
    assert not recwarn
    with settings.announce("error"), pytest.raises(GnomonWarning, match="loud"):
        settings.notify("loud")


def test_a_watcher_sees_values_before_they_are_in_force():
    seen = []

    def watcher(value):
        seen.append((value, current.no_tracing))
        if value:
            raise RuntimeError("too late")

    settings.watch("no_tracing", watcher)
    try:
        with pytest.raises(RuntimeError, match="too late"):
            config.update("no_tracing", True)
        assert not current.no_tracing and seen == [(True, False)]
    finally:
        TABLE["no_tracing"].watchers.remove(watcher)


# --- the environment ---

SHOW = "from gnomon.base.settings import config, read_environment; "


def test_the_environment_is_read_at_import():
    done = python(SHOW + "print(config)", GNOMON_ENABLE_X64="On", GNOMON_NUM_CPU_DEVICES="8", GNOMON_PLATFORMS="cpu",
                  GNOMON_NUMPY_DTYPE_PROMOTION="STRICT", GNOMON_DEFAULT_MATMUL_PRECISION="none", JAX_DEBUG_NANS="1")
    assert done.stdout == ("<config enable_x64=True, numpy_dtype_promotion='strict', num_cpu_devices=8, "
                           "platforms='cpu'>\n"), done.stderr


def test_jaxs_environment_is_read_when_asked_for():
    done = python(SHOW + "read_environment('JAX_'); print(config)", JAX_ENABLE_X64="1", JAX_ANNOUNCE="silent",
                  JAX_NO_SUCH_THING="1")
    assert (done.stdout, done.stderr) == ("<config enable_x64=True>\n", "")


def test_a_wrong_value_in_the_environment_names_the_variable():
    done = python(SHOW, GNOMON_ENABLE_X64="maybe")
    assert done.stderr.endswith("ValueError: Environment variable GNOMON_ENABLE_X64: enable_x64 takes True or False, "
                                "not 'maybe'.\n")
    assert python(SHOW, GNOMON_NUM_CPU_DEVICES="two").stderr.endswith("takes an integer, not 'two'.\n")


def test_a_misspelt_variable_is_told():
    done = python(SHOW, GNOMON_ENABLE_X46="1")
    assert "GNOMON_ENABLE_X46: there is no setting 'enable_x46' (did you mean 'enable_x64'?)." in done.stderr
    assert done.returncode == 0
