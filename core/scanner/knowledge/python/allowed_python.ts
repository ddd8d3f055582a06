import {
  type AllowedNames,
  CONSTANT,
  DICT,
  ENUM,
  FUNCTION,
  MADE,
  OBJECT,
  type Use,
} from "./uses.ts";

/** Python's own values, which the text or the numbers that they are given make. */
const VALUE: Use = { call: ["plain*"] };
const OF_TEXT: Use = { call: ["text*"] };
const COLLECTION: Use = { call: ["items?"] };
const PATHS = "Path PosixPath WindowsPath PurePath PurePosixPath PureWindowsPath";
/** In memory; the state has what was written. */
const FILES = "BytesIO StringIO";

/** The standard library: builtins, containers, dates, numbers. And pytz, for time zones. */
export const PYTHON_NAMES: readonly AllowedNames[] = [
  ["builtins", "object"],
  ["builtins", "int float complex bool str bytes bytearray range", VALUE],
  ["builtins", "set frozenset dict list tuple", COLLECTION],
  ["builtins", "slice enumerate reversed zip", MADE],
  ["builtins", "iter", { as: "function", call: ["inert"], built: true }],
  [
    "builtins",
    "abs all any bin chr divmod hash hex len max min oct ord pow repr round sum",
    FUNCTION,
  ],
  ["builtins", "Ellipsis NotImplemented", CONSTANT],
  [
    "builtins",
    `BaseException Exception ArithmeticError AssertionError AttributeError BlockingIOError
    ConnectionError EOFError FileExistsError FileNotFoundError ImportError IndexError
    InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
    PermissionError RecursionError RuntimeError StopIteration SyntaxError TimeoutError TypeError
    UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning ValueError Warning
    ZeroDivisionError DeprecationWarning`,
    MADE,
  ],
  ["collections", "OrderedDict Counter", DICT],
  ["collections", "defaultdict", { call: ["callable?", "items?"], items: "dict" }],
  ["collections", "deque", { call: ["items?", "number?"], items: "list" }],
  ["collections", "namedtuple", FUNCTION],
  ["collections", "ChainMap UserDict UserList"],
  ["collections", "UserString", { call: ["text"] }],
  ["copyreg", "_reconstructor", { as: "function", call: ["class", "base", "items?"] }],
  ["copyreg", "__newobj__", { as: "function", call: ["class", "inert*"] }],
  ["copyreg", "__newobj_ex__", { as: "function", call: ["class", "plain", "plain"] }],
  ["_codecs", "encode", { as: "function", call: ["text", "codec?"] }],
  ["argparse", "Namespace"],
  ["array", "array", { call: ["text", "plain?"], items: "list" }],
  [
    "array",
    "_array_reconstructor",
    { as: "function", call: ["own class", "text", "number", "bytes"], built: true },
  ],
  ["datetime", "datetime date time timedelta timezone", MADE],
  ["decimal", "Decimal", VALUE],
  ["fractions", "Fraction", VALUE],
  ["functools", "partial", { call: ["callable", "held*"], makes: "callable" }],
  ["io", FILES],
  ["_io", FILES],
  ["ipaddress", "IPv4Address IPv6Address IPv4Network IPv6Network", VALUE],
  ["itertools", "chain count cycle islice repeat product permutations combinations", MADE],
  ["logging", "getLogger", { as: "function", call: ["text?"] }],
  ["operator", "itemgetter", { call: ["plain*"], makes: "callable" }],
  ["pathlib", PATHS, OF_TEXT],
  ["pathlib._local", PATHS, OF_TEXT],
  ["random", "Random", VALUE],
  ["re", "_compile", { as: "function", call: ["plain", "number"] }],
  ["re", "RegexFlag", ENUM],
  ["string", "Template"],
  ["types", "SimpleNamespace", { call: [] }],
  ["types", "MappingProxyType", COLLECTION],
  ["types", "NoneType EllipsisType", OBJECT],
  ["typing", "Any Dict FrozenSet List Mapping Optional Sequence Set Tuple Type Union", CONSTANT],
  ["uuid", "UUID"],
  ["uuid", "SafeUUID", ENUM],
  ["pytz", "_p _UTC", { as: "function", call: ["plain*"] }],
  ["zoneinfo", "ZoneInfo", { call: ["zone"] }],
  ["zoneinfo", "ZoneInfo._unpickle", { as: "function", call: ["zone", "number"] }],
];
