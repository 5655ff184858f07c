"""Bundles on disk: unpacked once for each lock and target, joined with our code as it is now."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.bundles import prune as pruning
from infra.bundles.requirements import ROOT, locked_requirements, run_uv
from infra.bundles.target import Target

CACHE = ROOT / ".local" / "bundles"
LARGEST_BYTES = 250 * 1024 * 1024  # what Lambda takes, unzipped

# The first moment a zip file can tell: equal files make equal assets, whenever they were unpacked.
FILE_TIME = 315_532_800

# Folders of the package that run on the nodes, not in the functions.
CLIENT_FOLDERS = {"cli", "client"}


class BundleTooLarge(Exception):
    """The bundle would not be accepted by Lambda."""


def build(group: str, target: Target) -> Path:
    """A folder with ``group``'s locked dependencies for ``target``, and our code; equal inputs, one folder.

    Raises ``BundleTooLarge`` beyond 250 MB, ``CalledProcessError`` when a locked wheel is not to be had.
    """
    dependencies = _dependencies(group, target)
    code = code_files()
    name = f"{group}-{target}-{_short_hash(dependencies.name.encode(), _fingerprint(code))}"
    with _made_once(name) as partial:
        if partial:
            shutil.copytree(dependencies, partial, copy_function=_link, dirs_exist_ok=True)
            _copy_code(code, partial)
    bundle = CACHE / name
    _check_size(bundle)
    return bundle


def build_code() -> Path:
    """A folder with our code only, for functions whose interpreter has the dependencies."""
    code = code_files()
    name = f"code-{_short_hash(_fingerprint(code))}"
    with _made_once(name) as partial:
        if partial:
            _copy_code(code, partial)
    return CACHE / name


def code_files() -> dict[str, Path]:
    """Our part of every bundle: path inside it -> file, in order."""
    handlers = {path.relative_to(ROOT): path for path in (ROOT / "lambdas").rglob("*.py")}
    package = ROOT / "shared" / "session_datasets"
    library = {
        path.relative_to(package.parent): path
        for path in package.rglob("*")
        if path.is_file() and path.relative_to(package).parts[0] not in CLIENT_FOLDERS
    }
    files = {**handlers, **library}
    return {str(name): files[name] for name in sorted(files) if "__pycache__" not in name.parts}


def _dependencies(group: str, target: Target) -> Path:
    requirements = locked_requirements(group)
    rules = Path(pruning.__file__).read_bytes()
    name = f"dependencies-{group}-{target}-{_short_hash(requirements.encode(), repr(target).encode(), rules)}"
    with _made_once(name) as partial:
        if partial:
            _install(requirements, target, partial)
            pruning.prune(partial)
            _settle(partial)
    return CACHE / name


def _install(requirements: str, target: Target, folder: Path) -> None:
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


@contextmanager
def _made_once(name: str) -> Iterator[Path | None]:
    """A folder to fill, which becomes ``CACHE / name`` when filled; ``None`` when that is there already.

    Whoever finishes first wins, so two builds at a time cannot see each other's halves.
    """
    final = CACHE / name
    if final.is_dir():
        yield None
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=CACHE))
    partial.chmod(0o755)
    try:
        yield partial
        partial.rename(final)
    except OSError:
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


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


def _check_size(bundle: Path) -> None:
    size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
    if size > LARGEST_BYTES:
        raise BundleTooLarge(f"{bundle.name} has {size:,} bytes unzipped, and Lambda takes {LARGEST_BYTES:,}")


def _fingerprint(files: dict[str, Path]) -> bytes:
    digest = hashlib.sha256()
    for name, path in files.items():
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.digest()


def _short_hash(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]
