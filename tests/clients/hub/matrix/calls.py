"""What the programs of the matrix share: each runs calls one by one, and prints a line of JSON for each."""

import inspect
import json
import os
import signal
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

MAX_SECONDS = 90
"""How long a call may take."""

_calls = []


class NotThere(Exception):
    """This version of the client has no such call."""


def call(function):
    """Registers a call, by the name of its function."""
    _calls.append(function)
    return function


def needs(owner, *names):
    """Skips the call if this version of the client lacks any of the names."""
    missing = [name for name in names if not hasattr(owner, name)]
    if missing:
        raise NotThere(", ".join(missing))


def needs_module(name):
    """Skips the call if what it needs besides is not installed."""
    if find_spec(name) is None:
        raise NotThere(name)


def takes(function, parameter):
    """Skips the call if this version of a function lacks a parameter."""
    if parameter not in inspect.signature(function).parameters:
        raise NotThere(parameter)


def command(*arguments, **options):
    """Runs a program, which must succeed, and returns what it prints."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=MAX_SECONDS, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{done.stdout}{done.stderr}".strip())
    return done.stdout


def run_calls():
    """Runs all calls, or those that the arguments name."""
    signal.signal(signal.SIGALRM, _late)
    for function in _calls:
        name = function.__name__.replace("_", " ").strip()
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            line = json.dumps({"call": name, **_outcome(function)}, separators=(",", ":"))
            print(line, file=_results, flush=True)


def _late(*_):
    raise TimeoutError(f"no answer for {MAX_SECONDS} s")


def _outcome(function):
    signal.alarm(MAX_SECONDS)
    try:
        function()
        return {"outcome": "works", "words": ""}
    except NotThere as missing:
        return {"outcome": "not there", "words": str(missing)}
    except BaseException as raised:  # Some raise SystemExit.
        return {"outcome": "refused", "words": f"{type(raised).__name__}: {raised}"}
    finally:
        signal.alarm(0)


def safetensors():
    """The bytes of a small file of tensors, large enough for Git LFS."""
    values = struct.pack("<25000f", *range(25_000))
    tensor = {"dtype": "F32", "shape": [25_000], "data_offsets": [0, len(values)]}
    header = json.dumps({"__metadata__": {"format": "pt"}, "weight": tensor}).encode()
    return struct.pack("<Q", len(header)) + header + values


CARD = b"---\nlicense: mit\ntags:\n- tiny\n---\n# Tiny\n"
FILES = {
    "README.md": CARD,
    "config.json": b'{"model_type": "bert"}',
    "model.safetensors": safetensors(),
    "notes/a.txt": b"a\n",
    "notes/more/b.txt": b"b\n",
}
"""The files of each repository that calls read."""

HOME = Path(os.environ["HOME"])

# What clients print must not get between the lines.
_results = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
