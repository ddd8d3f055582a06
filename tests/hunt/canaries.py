"""Values that note what is done with them, and the audit hook that notes what the interpreter does."""

import os
import re
import sys

MARKER = re.compile(r"canary(\d)")
# What loaders do all the time, or only says that they do something that has an event of its own.
ORDINARY = {
    "array.__new__", "builtins.id", "code.__new__", "object.__delattr__", "object.__getattr__",
    "object.__setattr__", "pickle.find_class", "import", "sys._getframe", "sys._getframemodulename",
    "sys.unraisablehook", "sys.excepthook", "marshal.loads", "cpython.PyInterpreterState_New",
}
# Events that say what they do, but which loading a module has as well: its code, its file, its directory.
OF_IMPORTS = {"compile", "exec", "open", "os.listdir", "os.scandir"}
# What is noted and then goes on; all else is stopped before it happens.
HARMLESS = re.compile(r"ctypes\.|gc\.|sys\.")
PREFIXES = tuple({path for path in sys.path if path} | {sys.prefix, sys.base_prefix})
# What named tuples, data classes and signatures compile, and names, which do nothing. The code of a text
# is called `<string>` when it runs.
GENERATED = re.compile(r"^lambda _cls|__create_fn__|^def foo\(self, \*args, \*\*kwargs\): pass|^\w+$")
# Files of code that a library makes of its own texts.
OWN_CODE = re.compile(r"\.py$|importlib\._bootstrap>$|^<string>$|networkx\.utils\.decorators\.argmap")
MAX_NOTES = 40

# What no module does while it is imported.
OF_NO_IMPORT = re.compile(
    r"subprocess\.|socket\.(?:bind|connect|getaddrinfo|gethost)|webbrowser\.|urllib\.|ftplib\.|smtplib\."
    r"|os\.(?:system|exec|fork|posix_spawn|spawn|kill|startfile|remove|rename|rmdir|mkdir|link|symlink|truncate|chmod)"
    r"|shutil\.|pty\.|builtins\.input"
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

noted: list[str] = []
armed = [False]
# Packages of the names that the pickles of a file import.
imported: set[str] = set()
watched = [False]


def note(text: str) -> None:
    if armed[0] and len(noted) < MAX_NOTES and text not in noted:
        noted.append(text[:160].replace("\n", " ").replace("\t", " "))


class Stopped(BaseException):
    """Ends what would touch the system."""


def hook(event: str, args: tuple) -> None:
    if not armed[0]:
        return
    try:
        marked = [found[1] for arg in args for found in [MARKER.search(text_of(arg))] if found]
    except Exception:
        marked = []
    if marked:
        if event == "object.__getattr__" or event == "array.__new__":
            return
        note(f"{event} {marked[0]}")
        raise Stopped
    if event == "pickle.find_class":
        imported.add(str(args[0]).split(".")[0])
    if watched[0] and is_foreign(event, args):
        note(f"imports {args[0]}")
    if event in ORDINARY or event in OF_IMPORTS and is_import(event, args):
        return
    if is_importing() and not OF_NO_IMPORT.match(event) and not is_writing(event, args):
        return
    what = f": {text_of(args[0])[-60:]}" if args and isinstance(args[0], (str, bytes)) else ""
    note(f"{event}{what}")
    if not HARMLESS.match(event):
        raise Stopped


def watch_files() -> None:
    """Notes imports of other packages, too, and calls of `os.getpid`, a payload for which there is no event."""

    def getpid() -> int:
        if not is_importing():
            note("calls os.getpid")
        return 1

    watched[0] = True
    sys.modules["posix"].getpid = os.getpid = getpid


def is_foreign(event: str, args: tuple) -> bool:
    """Whether a module is imported that is of no package that a name of the pickle is in."""
    if event != "import":
        return False
    root = str(args[0]).split(".")[0]
    return root not in imported and root not in sys.modules and not is_importing()


def is_writing(event: str, args: tuple) -> bool:
    """Whether a file is opened, and not only to read it."""
    if event != "open":
        return False
    _, mode, flags = args
    return bool(flags & WRITES) if mode is None else mode not in ("r", "rb")


def is_importing() -> bool:
    """Whether a library is loading a part of itself."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def text_of(arg: object) -> str:
    if isinstance(arg, str):
        return arg[:4096]
    return bytes(arg[:4096]).decode("latin1") if isinstance(arg, (bytes, bytearray)) else ""


def is_import(event: str, args: tuple) -> bool:
    if event == "exec":
        return OWN_CODE.search(getattr(args[0], "co_filename", "")) is not None
    path = str(args[1] if event == "compile" else args[0])
    if event == "compile":
        is_own = path != "<string>" and OWN_CODE.search(path) is not None
        return is_own or GENERATED.search(text_of(args[0])) is not None
    return "/zoneinfo/" in path or path.startswith(PREFIXES) and (event != "open" or args[1] in (None, "r", "rb"))


def noting(verb: str, result=None):
    def method(self, *args):
        note(f"{verb} {self._place}")
        return result() if result is not None else Canary(self._place)

    return method


class Canary:
    """Notes calls, attributes, items and conversions."""

    def __init__(self, place: str) -> None:
        self.__dict__["_place"] = place

    def __getattr__(self, name: str):
        note(f"reads {self._place}.{name}")
        if name.startswith("__"):
            raise AttributeError(name)
        return Canary(f"{self._place}.{name}")

    def __call__(self, *args, **keywords):
        note(f"calls {self._place}")
        return Canary(f"{self._place}()")

    def __setattr__(self, name: str, value: object) -> None:
        note(f"sets {self._place}.{name}")

    __getitem__ = noting("item")
    __setitem__ = noting("setitem")
    __iter__ = noting("iterates", lambda: iter(()))
    __len__ = noting("len", int)
    __index__ = __int__ = noting("int", int)
    __float__ = noting("float", float)
    __str__ = __repr__ = __fspath__ = __format__ = noting("text", lambda: "canary9.x")
    __bytes__ = noting("bytes", bytes)
    __contains__ = noting("contains", bool)
    __hash__ = noting("hash", int)


class Meta(type):
    def __call__(cls, *args, **keywords):
        note(f"calls {cls.__name__}")
        return super().__call__()


class CanaryDict(dict):
    """A state that has every key, and notes which are asked for."""

    def __getitem__(self, key):
        note(f"key {key}")
        return Canary(f"state.{key}")

    def __contains__(self, key) -> bool:
        note(f"key {key}")
        return True

    def get(self, key, default=None):
        return self[key]

    def pop(self, key, default=None):
        return self[key]

    def copy(self):
        return self


def canary(name: str):
    """The canary of a name in the module `canary`: its kind and its place."""
    kind, place = name.split(":", 1)
    if kind == "class":
        return Meta(place, (), {"__new__": lambda cls, *args, **keywords: object.__new__(cls)})
    if kind == "dict":
        return CanaryDict()
    if kind == "array":
        import numpy

        return numpy.arange(4.0)
    return Canary(place)
