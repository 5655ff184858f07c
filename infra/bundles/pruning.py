"""What a bundle does without.

A function may weigh 250 MB unzipped, and all of it is fetched before a cold start: so everything goes that no
function opens. The rules name what to remove, each with its reason; a test fails for one that removes
nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

# Tracing asks X-Ray's sampling rules of a client that it makes when it is imported.
SERVICES = ("dynamodb", "s3", "secretsmanager", "sqs", "sts", "xray")

# pattern below the bundle's root -> why nobody misses it
REMOVED = {
    ".lock": "left by the installer",
    "bin": "command lines of the dependencies",
    "*.dist-info": "the index of what is installed; nothing asks for it at run time",
    "*-stubs": "for type checkers",
    "**/*.pyi": "for type checkers",
    "pyarrow/tests": "pyarrow's own tests",
    "pyarrow/_pyarrow_cpp_tests.*": "pyarrow's own tests",
    "pyarrow/conftest.py": "pyarrow's own tests",
    "pyarrow/include": "headers, for building on Arrow",
    "pyarrow/includes": "headers, for building on Arrow",
    "pyarrow/src": "headers, for building on Arrow",
    "pyarrow/*.p[yx][xdi]": "Cython sources of the compiled modules",
    "pyarrow/libarrow_python*.so": "a second copy: modules are linked to the name with the version",
    "pyarrow/libarrow_python*.so.*.*.*": "a third copy, likewise",
    "pyarrow/*flight*": "a network protocol nobody speaks here; the largest part after Arrow itself",
    "pyarrow/*s3*": "Arrow's own S3 client; ours is boto3",
    "pyarrow/_azurefs.*": "a file system of another cloud",
    "pyarrow/_gcsfs.*": "a file system of another cloud",
    "pyarrow/_hdfs.*": "a file system of another age",
    "pyarrow/*_encryption*": "encrypted Parquet, which the service refuses",
    "pyarrow/*orc*": "a format the service does not read",
    "pyarrow/_substrait.*": "query plans; the library of that name stays, because everything links to it",
    "pyarrow/cuda.py": "graphics processors",
    "numpy/tests": "numpy's own tests",
    "numpy/*/tests": "numpy's own tests",
    "numpy/conftest.py": "numpy's own tests",
    "numpy/_core/include": "headers, for building on numpy",
    "numpy/_core/lib": "a static library, for building on numpy",
    "numpy/random/lib": "a static library, for building on numpy",
    "numpy/**/*.pxd": "Cython sources of the compiled modules",
    "numpy/random/_examples": "examples",
    "numpy/f2py": "a compiler's front end for Fortran",
    "numpy/doc": "a text about the documentation",
    "numpy/_pyinstaller": "for another way of bundling",
}


def prune(root: Path) -> None:
    """Take out of ``root`` everything the rules name, and every service model but those of ``SERVICES``."""
    for pattern in REMOVED:
        for path in list(root.glob(pattern)):
            _remove(path)
    for path in _unused_services(root):
        _remove(path)


def _unused_services(root: Path) -> Iterator[Path]:
    for library in ("boto3", "botocore"):
        for entry in sorted((root / library / "data").iterdir()):
            if entry.is_dir() and entry.name not in SERVICES:
                yield entry


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
