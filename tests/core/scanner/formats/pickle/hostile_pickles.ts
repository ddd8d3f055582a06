import { binbytes, binunicode, bytes, gl, little, s8, sg, short } from "./pickle_bytes.ts";
import { MEMOIZE, P2, P4, PAYLOAD, STACK_GLOBAL, T1, T2 } from "./pickle_parts.ts";

/** A pickle that no scanner may miss. */
interface HostilePickle {
  readonly title: string;
  readonly content: Uint8Array;
  /** Rule code or check name of a critical finding. */
  readonly finds: string;
  /** Rule code, check name or reason of another finding of any severity. */
  readonly and?: string;
  /** Whether it is recognized only by file name: loaders fail in its harmless beginning. */
  readonly named?: boolean;
}

const CALL = bytes(")R.");
const ECHO = bytes("(S'echo'\ntR.");
const BASE64_PAYLOAD = btoa(String.fromCharCode(...bytes(P4, sg("os", "getpid"), CALL)));
const HEX_PAYLOAD = bytes(P4, sg("os", "getpid"), CALL).toHex();

/** Pickles that are critical. */
export const CRITICAL: readonly HostilePickle[] = [
  ...[0, 1].map((protocol): HostilePickle => ({
    title: `evasion 1: GLOBAL and REDUCE, protocol ${protocol}`,
    content: bytes("cposix\nsystem\np0\n(Vecho\np1\ntp2\nRp3\n."),
    finds: "S101",
  })),
  ...[2, 3].map((protocol): HostilePickle => ({
    title: `evasion 1: GLOBAL and REDUCE, protocol ${protocol}`,
    content: bytes(
      0x80,
      protocol,
      gl("nt", "system"),
      "q\x00",
      binunicode("echo"),
      "q\x01",
      T1,
      "R.",
    ),
    finds: "S101",
  })),
  ...[4, 5].map((protocol): HostilePickle => ({
    title: `evasion 1: STACK_GLOBAL and REDUCE, protocol ${protocol}`,
    content: bytes(
      0x80,
      protocol,
      0x95,
      little(26, 8),
      sg("posix", "system"),
      s8("echo"),
      T1,
      "R.",
    ),
    finds: "S101",
  })),
  { title: "evasion 2: INST", content: bytes("(ios\ngetpid\n."), finds: "S101" },
  { title: "evasion 3: OBJ", content: bytes("(", gl("os", "getpid"), "o."), finds: "S101" },
  {
    title: "evasion 3: OBJ, pty.spawn",
    content: bytes("(", gl("pty", "spawn"), short("sh"), "o."),
    finds: "S103",
  },
  {
    title: "evasion 4: NEWOBJ",
    content: bytes(P2, gl("subprocess", "Popen"), short("true"), T1, 0x81, "."),
    finds: "S103",
  },
  {
    title: "evasion 4: NEWOBJ_EX",
    content: bytes(P4, sg("subprocess", "Popen"), ")}", 0x92, "."),
    finds: "S103",
  },
  {
    title: "evasion 5: EXT after add_extension",
    content: bytes(
      gl("copyreg", "add_extension"),
      "(S'os'\nS'getpid'\nK",
      0xf0,
      "tR0",
      0x82,
      0xf0,
      ")R.",
    ),
    finds: "S206",
    and: "S211",
  },
  { title: "evasion 6: EXT alone", content: bytes(0x82, 7, ")R."), finds: "S211" },
  {
    title: "evasion 7: PUT and MEMOIZE mixed",
    content: bytes(
      ...[short("os"), "q\x00", short("getpid"), "q\x01", s8("torch._utils"), MEMOIZE],
      ...[s8("_rebuild_tensor_v2"), MEMOIZE, "00h\x00h\x01", STACK_GLOBAL, CALL],
    ),
    finds: "S101",
  },
  {
    title: "evasion 8: memo overwritten",
    content: bytes(
      ...[s8("collections"), "q\x00", "0", s8("os"), "q\x00", "0h\x00", s8("getpid")],
      ...[STACK_GLOBAL, CALL],
    ),
    finds: "S101",
  },
  {
    title: "evasion 9: STRING before STACK_GLOBAL",
    content: bytes("S'os'\nS'getpid'\n", STACK_GLOBAL, CALL),
    finds: "S101",
  },
  {
    title: "evasion 10: STACK_GLOBAL without PROTO",
    content: bytes(sg("os", "getpid"), CALL),
    finds: "S101",
  },
  {
    title: "evasion 11: BINUNICODE8",
    content: bytes(0x8d, little(2, 8), "os", s8("getpid"), STACK_GLOBAL, CALL),
    finds: "S101",
  },
  {
    title: "evasion 11: UNICODE with an escape",
    content: bytes("V\\u006fs\nVgetpid\n", STACK_GLOBAL, CALL),
    finds: "S101",
  },
  {
    title: "evasion 11: STRING with escapes",
    content: bytes("S'\\x6f\\163'\nS'getpid'\n", STACK_GLOBAL, CALL),
    finds: "S101",
  },
  {
    title: "evasion 12: a name built by str.join",
    content: bytes(
      ...[P4, sg("builtins", "str.join"), s8(""), "](", s8("o"), s8("s"), "e", T2, "R"],
      ...[s8("getpid"), STACK_GLOBAL, CALL],
    ),
    finds: "S205",
    and: "S101",
  },
  {
    title: "evasion 12: a name built by codecs.decode",
    content: bytes(
      ...[P4, sg("codecs", "decode"), s8("bf"), s8("rot13"), T2, "R", s8("getpid")],
      ...[STACK_GLOBAL, CALL],
    ),
    finds: "S205",
    and: "S101",
  },
  {
    title: "evasion 12: a name built by another call",
    content: bytes(
      ...[P4, sg("collections", "UserString"), s8("os"), T1, "R", s8("getpid"), STACK_GLOBAL, CALL],
    ),
    finds: "S205",
  },
  {
    title: "evasion 13: a dotted alias",
    content: bytes(P4, sg("random", "_os.getpid"), CALL),
    finds: "S101",
  },
  {
    title: "evasion 13: a dotted alias in GLOBAL",
    content: bytes(gl("site", "os.getpid"), CALL),
    finds: "S101",
  },
  {
    title: "evasion 13: an alias of the module alone",
    content: bytes(P4, sg("random", "_os"), "."),
    finds: "S101",
  },
  {
    title: "evasion 14: dunder escape",
    content: bytes(P4, sg("statistics", "__builtins__.get"), s8("eval"), T1, "R."),
    finds: "Pickle Import",
  },
  {
    title: "evasion 14: dunder of an allowed class",
    content: bytes(P4, sg("collections", "OrderedDict.__reduce__"), CALL),
    finds: "Pickle Import",
  },
  {
    title: "evasion 15: resolve_name",
    content: bytes(P4, sg("pkgutil", "resolve_name"), s8("os:getpid"), T1, "R", CALL),
    finds: "S205",
    and: "S101",
  },
  {
    title: "evasion 16: import_module and getattr_static",
    content: bytes(
      ...[P4, sg("inspect", "getattr_static"), sg("importlib", "import_module"), s8("os"), T1, "R"],
      ...[s8("getpid"), T2, "R", CALL],
    ),
    finds: "S107",
    and: "S101",
  },
  {
    title: "evasion 17: methodcaller",
    content: bytes(
      ...[P4, sg("operator", "methodcaller"), s8("getpid"), T1, "R"],
      ...[sg("builtins", "__import__"), s8("os"), T1, "R", T1, "R."],
    ),
    finds: "S106",
    and: "S101",
  },
  {
    title: "evasion 17: operator.call",
    content: bytes(
      ...[P4, sg("operator", "call"), sg("pathlib", "Path.touch"), sg("pathlib", "PosixPath")],
      ...[s8("x"), T1, "R", T2, "R."],
    ),
    finds: "S205",
    and: "S402",
  },
  {
    title: "evasion 18: partial",
    content: bytes(P4, sg("functools", "partial"), sg("os", "getpid"), T1, "R", CALL),
    finds: "S101",
  },
  {
    title: "evasion 19: eval by annotation",
    content: bytes(P4, sg("typing", "_eval_type"), sg("typing", "ForwardRef"), s8("1"), T1, "R."),
    finds: "S205",
  },
  {
    title: "evasion 20: compiled code",
    content: bytes(P4, sg("types", "FunctionType"), sg("marshal", "loads"), "C\x01N", T1, "R."),
    finds: "S213",
  },
  ...["FunctionType", "CodeType"].map((name): HostilePickle => ({
    title: `evasion 20: types.${name} by itself`,
    content: bytes(P4, sg("types", name), CALL),
    finds: "S205",
  })),
  {
    title: "evasion 21: sub-module of a listed package",
    content: bytes(P4, sg("asyncio.unix_events", "_UnixSubprocessTransport._start"), CALL),
    finds: "S205",
  },
  {
    title: "evasion 22: pip.main",
    content: bytes(P4, sg("pip", "main"), "](", s8("install"), "e", T1, "R."),
    finds: "S205",
  },
  ...([
    ["uuid", "_get_command_stdout"],
    ["_osx_support", "_read_output"],
    ["imaplib", "IMAP4_stream"],
    ["multiprocessing.util", "spawnv_passfds"],
    ["torch.utils.collect_env", "run"],
  ] as const).map(([module, name]): HostilePickle => ({
    title: `evasion 23: ${module}.${name}`,
    content: bytes(P4, sg(module, name), s8("echo"), T1, "R."),
    finds: "S205",
  })),
  {
    title: "evasion 24: sub-interpreter",
    content: bytes(P4, sg("_xxsubinterpreters", "run_string"), "K\x00", s8("1"), T2, "R."),
    finds: "S205",
  },
  {
    title: "evasion 24: sub-interpreter of 3.13",
    content: bytes(P4, sg("_interpreters", "exec"), "K\x00", s8("1"), T2, "R."),
    finds: "S205",
  },
  {
    title: "evasion 25: a call whose result is dropped",
    content: bytes(gl("os", "getpid"), ")R0N."),
    finds: "S101",
  },
  {
    title: "evasion 26: commands",
    content: bytes(P2, gl("commands", "getoutput"), ECHO),
    finds: "S103",
  },
  {
    title: "evasion 26: urllib.urlopen",
    content: bytes(P2, gl("urllib", "urlopen"), ECHO),
    finds: "S302",
  },
  { title: "evasion 26: cPickle", content: bytes(P2, gl("cPickle", "loads"), ECHO), finds: "S213" },
  {
    title: "evasion 26: __builtin__",
    content: bytes(P2, gl("__builtin__", "eval"), ECHO),
    finds: "S104",
  },
  {
    title: "evasion 26: itertools.imap is map",
    content: bytes(P2, gl("itertools", "imap"), ECHO),
    finds: "S115",
  },
  {
    title: "evasion 27: nested pickle and its loader",
    content: bytes(P4, sg("pickle", "loads"), binbytes(bytes(PAYLOAD)), T1, "R."),
    finds: "S213",
    and: "Nested Pickle",
  },
  {
    title: "evasion 27: _load_from_bytes",
    content: bytes(
      P4,
      sg("torch.storage", "_load_from_bytes"),
      binbytes(bytes(P2, PAYLOAD)),
      T1,
      "R.",
    ),
    finds: "S213",
    and: "Nested Pickle",
  },
  {
    title: "evasion 28: nested pickle in base64",
    content: bytes(P4, "}", s8("x"), binunicode(BASE64_PAYLOAD), "s."),
    finds: "Nested Pickle",
  },
  {
    title: "evasion 28: nested pickle in hex",
    content: bytes(P4, "}", s8("x"), binunicode(HEX_PAYLOAD), "s."),
    finds: "Nested Pickle",
  },
  {
    title: "evasion 28: nested pickle as text in Latin-1",
    content: bytes(P2, binunicode(String.fromCharCode(...P2, ...PAYLOAD)), "."),
    finds: "Nested Pickle",
  },
  {
    title: "evasion 28: nested pickle with escaped line feeds",
    content: bytes("Vcos\\u000agetpid\\u000a)R.\n."),
    finds: "Nested Pickle",
  },
  {
    title: "evasion 28: a pickle in a pickle in a pickle",
    content: bytes(P4, binbytes(bytes(P4, binbytes(bytes(P4, PAYLOAD)), ".")), "."),
    finds: "Nested Pickle",
  },
  {
    title: "evasion 29: no STOP",
    content: bytes(gl("os", "getpid"), ")R"),
    finds: "S101",
    and: "truncated_stream",
  },
  {
    title: "evasion 29: the last line is not terminated",
    content: bytes("(ios\ngetpidX"),
    finds: "S101",
    and: "truncated_stream",
  },
  {
    title: "evasion 30: a damaged tail",
    content: bytes(gl("os", "getpid"), ")RX\xff\xff"),
    finds: "S101",
    and: "truncated_stream",
  },
  {
    title: "evasion 30: an unknown instruction",
    content: bytes(gl("os", "getpid"), ")R\xff\xff"),
    finds: "S101",
    and: "malformed_stream",
  },
  {
    title: "evasion 31: an integer in base 16",
    content: bytes("I0x10\n0", PAYLOAD),
    finds: "S101",
  },
  { title: "evasion 31: an octal integer", content: bytes("I010\n0", PAYLOAD), finds: "S101" },
  {
    title: "evasion 31: a long with underscores",
    content: bytes("L1_0L\n0", PAYLOAD),
    finds: "S101",
  },
  { title: "evasion 32: two streams", content: bytes("N.", PAYLOAD), finds: "S101" },
  {
    title: "evasion 32: two streams with 300 bytes between",
    content: bytes("N.", new Uint8Array(300).fill(0xff), P2, PAYLOAD),
    finds: "S101",
    named: true,
  },
  {
    title: "evasion 33: the memo of the previous stream",
    content: bytes(s8("collections"), "q\x00", s8("OrderedDict"), "q\x01\x93.h\x00h\x01\x93)R."),
    finds: "S205",
  },
  ...[3, 500].map((length): HostilePickle => ({
    title: `evasion 34: a frame of ${length} bytes`,
    content: bytes(P4, 0x95, little(length, 8), sg("os", "getpid"), CALL),
    finds: "S101",
    and: "S902",
  })),
  {
    title: "evasion 34: a frame hides the next pickle after one that ends early",
    content: bytes(P4, 0x95, little(7, 8), "N.", "X\xff\x00\x00\x00", PAYLOAD, new Uint8Array(255)),
    finds: "S101",
    and: "S902",
  },
  {
    title: "evasion 34: a frame ends within an instruction",
    content: bytes(P4, 0x95, little(3, 8), binunicode("abcd"), "."),
    finds: "S902",
  },
  {
    title: "evasion 34: a frame begins within another and extends past it",
    content: bytes(P4, 0x95, little(11, 8), "N", 0x95, little(4, 8), "0NNN."),
    finds: "S902",
  },
  {
    title: "evasion 35: PROTO twice",
    content: bytes(P2, P4, sg("os", "getpid"), CALL),
    finds: "S101",
    and: "S902",
  },
  {
    title: "evasion 35: PROTO in the middle",
    content: bytes("N0", P4, sg("os", "getpid"), CALL),
    finds: "S101",
    and: "S902",
  },
  {
    title: "evasion 36: the PyTorch magic number computed by a call",
    content: bytes(
      ...[P2, gl("builtins", "int"), short("1195470370"), T1, "R."],
      ...[P2, "M\xe9\x03.", P2, "}.", P2, "N.", P2, "]."],
    ),
    finds: "S1101",
  },
  {
    title: "evasion 36: the magic number computed by eval, and a payload",
    content: bytes(
      ...[P2, gl("builtins", "eval"), short("119547037146038801333356"), T1, "R."],
      ...[P2, "M\xe9\x03.", P2, "}.", P2, "].", P2, PAYLOAD, "N."],
    ),
    finds: "S104",
    and: "S1101",
  },
  {
    title: "evasion 36: a payload in place of the storages of a file without storages",
    content: bytes(
      ...[P2, 0x8a, 10, "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", P2, "M\xe9\x03."],
      ...[P2, "}.", P2, "}.", P2, "].", PAYLOAD],
    ),
    finds: "S101",
  },
  {
    title: "evasion 65: scanner tampering",
    content: bytes(P4, sg("picklescan.scanner", "_unsafe_globals"), "}", s8("os"), "Nsb."),
    finds: "S205",
    and: "S207",
  },
  {
    title: "evasion 66: registry poisoning by SETITEM",
    content: bytes(P4, sg("transformers", "_import_structure"), s8("x"), s8("os"), "s0N."),
    finds: "S209",
  },
  {
    title: "evasion 66: registry poisoning by SETITEMS",
    content: bytes(P4, sg("transformers", "_import_structure"), "(", s8("x"), s8("os"), "u0N."),
    finds: "S210",
  },
  {
    title: "evasion 67: MEMOIZE counts entries, not indices",
    content: bytes(
      ...[P4, s8("collections"), "q\x010", s8("os"), MEMOIZE, "0", s8("OrderedDict"), "q\x020"],
      ...[s8("getpid"), MEMOIZE, "0h\x01h\x02", STACK_GLOBAL, CALL],
    ),
    finds: "S101",
  },
  {
    title: "a list as arguments, which the Python unpickler allows",
    content: bytes(gl("os", "system"), "](S'echo'\neR."),
    finds: "S101",
  },
  {
    title: "_rebuild_from_type_v2 calls what it is given",
    content: bytes(
      ...[P2, gl("torch._tensor", "_rebuild_from_type_v2"), "(", gl("os", "getpid"), "N)Nt", "R."],
    ),
    finds: "S101",
  },
  {
    title: "an object of unknown origin is called",
    content: bytes("N.h\x00)R."),
    finds: "S201",
    named: true,
  },
  {
    title: "white space around a module",
    content: bytes(gl("os\r", "getpid"), CALL),
    finds: "S101",
  },
  {
    title: "an overlong name",
    content: bytes(gl("acme", `a${".a".repeat(2000)}.os.system`), ")R."),
    finds: "S205",
  },
  {
    title: "a name too long to decode",
    content: bytes(P4, s8("acme"), binunicode("a".repeat(10_000)), STACK_GLOBAL, CALL),
    finds: "S205",
  },
  {
    title: "six.moves leads to builtins",
    content: bytes(P2, gl("six.moves.builtins", "eval"), ECHO),
    finds: "Pickle Import",
  },
  {
    title: "the data of a joblib array is instructions to other loaders",
    content: bytes(
      ...[P2, gl("joblib.numpy_pickle", "NumpyArrayWrapper"), ")\x81}(", short("shape"), "K"],
      ...[13, T1, short("dtype"), gl("numpy", "dtype"), short("u1"), T1, "Rub", PAYLOAD, "."],
    ),
    finds: "S101",
  },
];

/** Pickles that are warnings: their title, content and check. */
export const WARNED: readonly (readonly [string, Uint8Array, string])[] = [
  [
    "evasion 64: lists doubled by DUP",
    bytes("]", doubling(20), "."),
    "Pickle Expansion",
  ],
  ...[bytes("Nr", little(2 ** 32 - 1, 4), "."), bytes("Np1000000000000\n.")].map(
    (content) =>
      ["evasion 98: an entry of the memo far away", content, "Pickle Expansion"] as const,
  ),
  [
    "evasion 92: an endless iterator as arguments of no function",
    bytes("N", gl("itertools", "count"), ")RR."),
    "Pickle Call",
  ],
  ["an unlisted import that is called", bytes(gl("acme.models", "Net"), ")R."), "Pickle Import"],
  [
    "an unlisted class that is instantiated",
    bytes(P2, gl("acme.models", "Net"), ")\x81."),
    "Pickle Import",
  ],
  [
    "an unlisted import that is passed to a call",
    bytes(gl("collections", "defaultdict"), gl("acme", "f"), "\x85R."),
    "Pickle Import",
  ],
  ["the result of a call is called", bytes(gl("collections", "Counter"), ")R)R."), "Pickle Call"],
  ["an object supplied by the loader is called", bytes("Px\n)R."), "Pickle Call"],
  ["thousands of open marks", bytes("(".repeat(4000), "t".repeat(4000), "."), "Pickle Stack Depth"],
];

/** Lists nested to `levels`, each with the one before twice. */
function doubling(levels: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let level = 0; level < levels; level++) {
    parts.push(bytes("p", `${level}\n`, "0](g", `${level}\n`, "2e"));
  }
  return bytes(...parts);
}
