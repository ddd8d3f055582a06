/** A module and the names in it that pickles of honest models import, separated by white space. */
export type AllowedNames = readonly [module: string, names: string];

/** The standard library: builtins, containers, dates, numbers. */
export const PYTHON_NAMES: readonly AllowedNames[] = [
  [
    "builtins",
    `object set frozenset dict list tuple int float complex bool str bytes bytearray slice range
    abs all any bin chr divmod enumerate hash hex id iter len max min oct ord pow repr
    reversed round sum zip Ellipsis NotImplemented
    BaseException Exception ArithmeticError AssertionError AttributeError EOFError ImportError
    IndexError KeyError LookupError MemoryError NameError NotImplementedError OSError OverflowError
    RuntimeError StopIteration SyntaxError TypeError UnicodeDecodeError UnicodeEncodeError
    UnicodeError UserWarning ValueError Warning ZeroDivisionError DeprecationWarning`,
  ],
  [
    "collections",
    "OrderedDict defaultdict Counter deque namedtuple ChainMap UserDict UserList UserString",
  ],
  ["copyreg", "_reconstructor __newobj__ __newobj_ex__"],
  ["_codecs", "encode"],
  ["argparse", "Namespace"],
  ["array", "array _array_reconstructor"],
  ["datetime", "datetime date time timedelta timezone"],
  ["decimal", "Decimal"],
  ["fractions", "Fraction"],
  ["functools", "partial"],
  ["io", "BytesIO StringIO"],
  ["_io", "BytesIO StringIO"],
  ["ipaddress", "IPv4Address IPv6Address IPv4Network IPv6Network"],
  ["itertools", "chain count cycle islice repeat product permutations combinations"],
  ["logging", "getLogger"],
  ["operator", "itemgetter"],
  ["pathlib", "Path PosixPath WindowsPath PurePath PurePosixPath PureWindowsPath"],
  ["pathlib._local", "Path PosixPath WindowsPath PurePath PurePosixPath PureWindowsPath"],
  ["random", "Random"],
  ["re", "_compile RegexFlag"],
  ["string", "Template"],
  ["types", "SimpleNamespace MappingProxyType NoneType EllipsisType"],
  ["typing", "Any Dict FrozenSet List Mapping Optional Sequence Set Tuple Type Union"],
  ["uuid", "UUID SafeUUID"],
  ["zoneinfo", "ZoneInfo ZoneInfo._unpickle"],
];
