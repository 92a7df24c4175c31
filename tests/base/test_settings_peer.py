"""JAX's options are here by the same names with the same values and defaults."""
import enum

import pytest

from gnomon.base import settings
from gnomon.base.settings import TABLE

pytestmark = pytest.mark.peer

CHANGED_BY_THE_TESTS = {"num_cpu_devices"}


def word(value):
    """An enum member as the word that means it."""
    return value.name.lower() if isinstance(value, enum.Enum) else value


def test_every_option_with_its_default(peer):
    options = {name.removeprefix("jax_"): word(value) for name, value in peer.config.values.items()}
    assert len(options) >= 133
    options = {name: value for name, value in options.items() if name not in CHANGED_BY_THE_TESTS}
    ours = {name: TABLE[name].default for name in options if name in TABLE}
    assert ours == options


def test_every_value_the_peer_takes_is_taken(peer):
    for name, (kind, _, details) in peer.config.meta.items():
        setting = TABLE[name.removeprefix("jax_")]
        choices = details.get("enum_values") or [word(member) for member in details.get("enum_class", ())]
        if choices:
            assert set(setting.kind) == set(choices), name
        elif setting.kind is not object:
            assert setting.kind is kind, name


def test_the_context_managers_of_the_package_are_here(peer):
    kind = type(peer.enable_x64)
    names = [name for name, value in vars(peer).items() if isinstance(value, kind)]
    assert len(names) >= 28
    for name in [*names, "checking_leaks", "disable_jit", "transfer_guard"]:
        setting = getattr(settings, name)
        value = True if setting.kind is bool else setting.kind[-1] if isinstance(setting.kind, tuple) else None
        if setting.effect:
            with setting(value):
                assert setting.value == value


@pytest.mark.parametrize("name, value", [("enable_x64", True), ("numpy_rank_promotion", "raise")])
def test_update_and_blocks_mix_the_same_way(peer, name, value):
    def story(config, block, default):
        seen = []
        with block(value):
            seen.append(getattr(config, "jax_" + name))
            config.update("jax_" + name, default)
            seen.append(getattr(config, "jax_" + name))
        seen.append(getattr(config, "jax_" + name))
        with block(default):
            config.update("jax_" + name, value)
            seen.append(getattr(config, "jax_" + name))
        seen.append(getattr(config, "jax_" + name))
        config.update("jax_" + name, default)
        return seen

    default = TABLE[name].default
    assert story(settings.config, getattr(settings, name), default) == story(peer.config, getattr(peer, name), default)
