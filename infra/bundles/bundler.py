"""Bundles on disk: unpacked once for each lock and target, joined with our code as it is now."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.bundles import pruning
from infra.bundles.code import code_files, fingerprint, short_hash
from infra.bundles.requirements import ROOT, locked_requirements, run_uv
from infra.bundles.target import Target

LARGEST_BYTES = 250 * 1024 * 1024  # what Lambda takes, unzipped

# The first moment a zip file can tell: equal files make equal assets, whenever they were unpacked.
FILE_TIME = 315_532_800


class BundleTooLarge(Exception):
    """The bundle would not be accepted by Lambda."""


@dataclass(frozen=True)
class Bundler:
    """Makes bundles of the code under ``root`` in the folder ``cache``, none larger than ``largest_bytes``."""

    root: Path = ROOT
    cache: Path = ROOT / ".local" / "bundles"
    largest_bytes: int = LARGEST_BYTES

    def bundle(self, group: str, target: Target) -> Path:
        """A folder with ``group``'s locked dependencies for ``target``, and our code: equal inputs, one folder.

        Raises ``BundleTooLarge``, and ``CalledProcessError`` when a locked wheel is not to be had.
        """
        dependencies = self._dependencies(group, target)
        code = code_files(self.root)
        name = f"{group}-{target}-{short_hash(dependencies.name.encode(), fingerprint(code))}"
        with self._made_once(name) as partial:
            if partial:
                shutil.copytree(dependencies, partial, copy_function=_link, dirs_exist_ok=True)
                _copy_code(code, partial)
        bundle = self.cache / name
        self._check_size(bundle)
        return bundle

    def code(self) -> Path:
        """A folder with our code only, for functions whose interpreter has the dependencies."""
        code = code_files(self.root)
        name = f"code-{short_hash(fingerprint(code))}"
        with self._made_once(name) as partial:
            if partial:
                _copy_code(code, partial)
        return self.cache / name

    def _dependencies(self, group: str, target: Target) -> Path:
        requirements = locked_requirements(group)
        rules = Path(pruning.__file__).read_bytes()
        inputs = short_hash(requirements.encode(), repr(target).encode(), rules)
        name = f"dependencies-{group}-{target}-{inputs}"
        with self._made_once(name) as partial:
            if partial:
                install(requirements, target, partial)
                pruning.prune(partial)
                _settle(partial)
        return self.cache / name

    @contextmanager
    def _made_once(self, name: str) -> Iterator[Path | None]:
        """A folder to fill, which gets its name when it is full; ``None`` when there is one already.

        Whoever finishes first wins, so two builds at a time cannot see each other's halves.
        """
        final = self.cache / name
        if final.is_dir():
            yield None
            return
        self.cache.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=self.cache))
        partial.chmod(0o755)
        try:
            yield partial
            _rename_unless_there(partial, final)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _check_size(self, bundle: Path) -> None:
        size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
        if size > self.largest_bytes:
            raise BundleTooLarge(f"{bundle.name} has {size:,} bytes unzipped, and Lambda takes {self.largest_bytes:,}")


def install(requirements: str, target: Target, folder: Path) -> None:
    """Unpack the wheels for ``target`` into ``folder``; nothing is compiled, and nothing of them is run."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(requirements)
        file.flush()
        run_uv(
            *("pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"),
            *("--python-version", target.python, "--python-platform", target.platform),
            # A hard link into uv's cache would share the file times set below.
            *("--link-mode", "copy", "--no-compile-bytecode"),
            *("--target", str(folder), "--requirements", file.name),
        )


def _rename_unless_there(partial: Path, final: Path) -> None:
    try:
        partial.rename(final)
    except OSError:
        if not final.is_dir():
            raise


def _copy_code(files: dict[str, Path], folder: Path) -> None:
    for name, source in files.items():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        _settle_file(copy)


def _settle(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            _settle_file(path)


def _settle_file(path: Path) -> None:
    path.chmod(0o644)
    os.utime(path, (FILE_TIME, FILE_TIME))


def _link(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copy2(source, copy)
