"""Runs pickles from standard input in processes with little memory, time and no way out, and says what
happened. Loads all packages once, then forks for each batch. With `--files`, each is a file that all loaders
get; otherwise one pickle, in which names of the module `canary` are canaries."""

import gc
import importlib
import importlib.metadata
import io
import json
import mmap
import os
import pickle
import resource
import signal
import struct
import sys
import warnings

from canaries import armed, canary, hook, imported, note, noted, watch_files

FILES = "--files" in sys.argv
MAX_BYTES = 3 * 2**29
CPU_SECONDS = 0.5 if FILES else 2.0
WALL_SECONDS = 6.0
REPLY_BYTES = 2**24
MAX_PICKLES = 8


class Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))
        self.arrays: list = []

    def find_class(self, module: str, name: str):
        if module != "canary":
            return super().find_class(module, name)
        made = canary(name)
        if name.startswith("array:"):
            self.arrays.append((name[6:], made))
        return made

    def persistent_load(self, pid):
        return None


class CompiledLoader(pickle.Unpickler):
    def persistent_load(self, pid):
        return None


class PythonLoader(pickle._Unpickler):
    def persistent_load(self, pid):
        return None


def load_all(loader) -> None:
    """Loads the pickles of a file one after another, as loaders of several do."""
    for _ in range(MAX_PICKLES):
        loader.load()


def loads_of(content: bytes) -> list:
    """How the loaders of files read one: pickle in C and in Python, and joblib."""
    loads = [lambda: load_all(CompiledLoader(io.BytesIO(content)))]
    loads.append(lambda: load_all(PythonLoader(io.BytesIO(content))))
    if "joblib" in sys.modules:
        loads.append(lambda: sys.modules["joblib"].load(io.BytesIO(content)))
    return loads


def ending(load) -> str:
    try:
        return f"={type(load()).__name__}"
    except MemoryError:
        note("memory")
        return "!MemoryError"
    except BaseException as error:
        try:
            return f"!{type(error).__name__} {str(error)[:60]}"
        except BaseException:
            return f"!{type(error).__name__}"


def run(content: bytes) -> str:
    noted.clear()
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    armed[0] = True
    if FILES:
        imported.clear()
        end = [ending(load) for load in loads_of(content)][0]
    else:
        loader = Unpickler(content)
        end = ending(loader.load)
        for place, array in loader.arrays:
            if array.tolist() != [0.0, 1.0, 2.0, 3.0]:
                note(f"writes {place}")
    armed[0] = False
    return "\t".join([*noted, end.replace("\n", " ").replace("\t", " ")])


def run_all(programs: list[bytes], first: int, out: mmap.mmap) -> None:
    """Runs programs in this process. Writes their number, and a line for each, where the parent reads."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * mmap.PAGESIZE + MAX_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    at = 8
    for count, content in enumerate(programs[first:], 1):
        line = run(content).encode(errors="replace") + b"\n"
        out[at : at + len(line)] = line
        at += len(line)
        out[:8] = struct.pack("<II", count, at)


def run_batch(programs: list[bytes]) -> bytes:
    done = b""
    first = 0
    while first < len(programs):
        out = mmap.mmap(-1, REPLY_BYTES)
        child = os.fork()
        if child == 0:
            try:
                run_all(programs, first, out)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        count, at = struct.unpack("<II", out[:8])
        done += out[8:at] if count else b""
        out.close()
        first += count
        if first < len(programs):
            name = "exits"
            if os.WIFSIGNALED(status):
                number = os.WTERMSIG(status)
                late = number in (signal.SIGPROF, signal.SIGALRM)
                name = "hangs" if late else f"crashes {signal.Signals(number).name}"
            done += f"{name}\t!\n".encode()
            first += 1
    return done


def load(names: list[list[str]]) -> dict[str, object]:
    """Imports all names. Returns which are missing, and the versions of the packages that have the others."""
    lacking = set()
    for module, name in names:
        try:
            value = importlib.import_module(module)
            for part in name.split("."):
                value = getattr(value, part)
        except BaseException:
            lacking.add(f"{module}.{name}")
    roots = {module.split(".")[0] for module, _ in names}
    found = importlib.metadata.packages_distributions()
    packages = {package for root in roots for package in found.get(root, [])}
    versions = {package: importlib.metadata.version(package) for package in packages}
    return {"python": sys.version.split()[0], "versions": versions, "lacking": sorted(lacking)}


def read(size: int) -> bytes:
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        os._exit(0)
    return data


def read_frames() -> list[bytes]:
    (count,) = struct.unpack("<I", read(4))
    return [read(struct.unpack("<I", read(4))[0]) for _ in range(count)]


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    warnings.simplefilter("ignore")

    def reply(data: bytes) -> None:
        replies.write(struct.pack("<I", len(data)) + data)
        replies.flush()

    (names,) = read_frames()
    reply(json.dumps(load(json.loads(names))).encode())
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if FILES:
        watch_files()
    sys.addaudithook(hook)
    gc.collect()
    gc.freeze()
    while True:
        reply(run_batch(read_frames()))


main()
