"""Compiled programs on disk: one file a program, named by a digest of everything that decides what it is.

Off unless the setting `compilation_cache_dir` names a folder. A file begins with the digest of its own contents, so a
damaged one is noticed and ignored.
"""
from __future__ import annotations

import importlib
import os
import threading

from gnomon.base import settings
from gnomon.run import xla

current = settings.current
SUFFIX = ".gnomon"
DIGEST_SIZE = 32


def sha256(data=b""):
    """A digest; its module is loaded with the first one, since most processes keep no programs."""
    return importlib.import_module("hashlib").sha256(data)


class Entry:
    """The place of one program in the folder."""

    __slots__ = ("path", "name")

    def __init__(self, path, name):
        self.path, self.name = path, name

    def load(self, client, device_list, options):
        """The program, ready to run, or None if it is not there."""
        try:
            with open(self.path, "rb") as file:
                digest, data = file.read(DIGEST_SIZE), file.read()
            if sha256(data).digest() != digest:
                raise ValueError("its contents are damaged")
            loaded = client.deserialize_executable(data, device_list, options)
            os.utime(self.path)
            return loaded
        except FileNotFoundError:
            return None
        except (OSError, ValueError, xla.RuntimeFailure) as error:
            trouble(f"The compiled program of {self.name} in {self.path} cannot be read ({error}); it is compiled "
                    "anew.", error)
            return None

    def save(self, loaded, seconds):
        """Keep a program that took `seconds` to compile, if the settings say it is worth it."""
        if seconds < current.persistent_cache_min_compile_time_secs:
            return
        try:
            data = loaded.serialize()
            if len(data) < current.persistent_cache_min_entry_size_bytes:
                return
            folder = os.path.dirname(self.path)
            os.makedirs(folder, exist_ok=True)
            # Written aside and moved, so that another process never reads half a file.
            aside = f"{self.path}.{os.getpid()}.{threading.get_ident()}"
            with open(aside, "wb") as file:
                file.write(sha256(data).digest() + data)
            os.replace(aside, self.path)
            make_room(folder)
        except (OSError, xla.RuntimeFailure) as error:
            trouble(f"The compiled program of {self.name} cannot be kept in {self.path} ({error}).", error)


def entry(text: str, plan, devices: tuple, options) -> Entry | None:
    """Where a program would be, or None if there is no cache."""
    folder = current.compilation_cache_dir
    if not folder or not current.enable_compilation_cache:
        return None
    client = devices[0].client
    parts = [text, xla.VERSION, client.platform_version, devices[0].device_kind, os.environ.get("XLA_FLAGS", ""),
             repr([(device.id, device.process_index) for device in devices]), repr(sorted(plan.compiler_options)),
             options.SerializeAsString()]
    digest = sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else part.encode()
        digest.update(len(part).to_bytes(8, "little") + part)
    return Entry(os.path.join(os.path.expanduser(folder), digest.hexdigest() + SUFFIX), plan.name)


def make_room(folder):
    """Remove the programs used longest ago until the folder is as small as the settings want it."""
    limit = current.compilation_cache_max_size
    if limit < 0:
        return
    files = []
    for item in os.scandir(folder):
        if item.name.endswith(SUFFIX):
            status = item.stat()
            files.append((status.st_mtime, status.st_size, item.path))
    excess = sum(size for _, size, _ in files) - limit
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        os.unlink(path)
        excess -= size


def trouble(sentence, error):
    """Say what is wrong with the folder: a warning, or an error if the settings want one."""
    if current.raise_persistent_cache_errors:
        raise RuntimeError(sentence) from error
    settings.notify(sentence)
