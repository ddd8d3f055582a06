import { binbytes, binunicode, bytes, gl, little, s8, sg, short } from "./pickle_bytes.ts";
import { MEMOIZE, P2, P4, T1, T2, T3 } from "./pickle_parts.ts";

/** A storage full of the beginnings of instructions, imports and programs. */
const HOSTILE_STORAGE = bytes(...Array(200).fill(bytes("MZ\x80\x02cos\nsystem\n)R.(K\x01tR")));

/** A tensor in a state dict, as torch.save writes it. */
const TENSOR = bytes(
  ...[gl("torch._utils", "_rebuild_tensor_v2"), "((", binunicode("storage")],
  ...[gl("torch", "FloatStorage"), binunicode("0"), binunicode("cpu"), "K\x04tQK\x00K\x04", T1],
  ...["K\x01", T1, "\x89", gl("collections", "OrderedDict"), ")RtR"],
);

const STATE_DICT = bytes(
  P2,
  ...[gl("collections", "OrderedDict"), "q\x00)Rq\x01(", binunicode("layer.weight"), TENSOR, "u."],
);

const MAGIC = bytes(P2, 0x8a, 10, "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.");

/** A file in the format of PyTorch before 1.6, without its storages. */
export const LEGACY_TORCH = bytes(
  ...[MAGIC, P2, "M\xe9\x03.", P2, "}(", binunicode("protocol_version"), "M\xe9\x03u."],
  ...[STATE_DICT, P2, "](", binunicode("0"), "e."],
);

/** numpy.zeros(4) in protocol 2, where `_codecs.encode` turns a string into the bytes. */
const NUMPY_ARRAY = bytes(
  ...[P2, gl("numpy.core.multiarray", "_reconstruct"), gl("numpy", "ndarray"), "K\x00", T1],
  ...["c_codecs\nencode\n", binunicode("b"), binunicode("latin1"), T2, "R", T3, "R(K\x01K\x04"],
  ...[T1, gl("numpy", "dtype"), binunicode("f8"), "\x89\x88", T3, "R(K\x03", binunicode("<")],
  ...["NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89"],
  ...["c_codecs\nencode\n", binunicode("\0".repeat(32)), binunicode("latin1"), T2, "Rtb."],
);

/** A joblib file: a placeholder, the data of the array, and the rest of the pickle. */
export function joblibFile(
  array: Uint8Array,
  options: { type: string; count: number; padding?: number },
) {
  const { type, count, padding } = options;
  const aligned = padding === undefined
    ? bytes()
    : bytes(s8("numpy_array_alignment_bytes"), "K\x10");
  const wrapper = bytes(
    ...[sg("joblib.numpy_pickle", "NumpyArrayWrapper"), ")\x81}(", s8("subclass")],
    ...[sg("numpy", "ndarray"), s8("shape"), "K", count, T1, s8("order"), s8("C"), s8("dtype")],
    ...[sg("numpy", "dtype"), s8(type), "\x89\x88", T3, "R", s8("allow_mmap"), "\x88", aligned],
    "ub",
  );
  const head = bytes(s8("x"), wrapper);
  const pad = padding === undefined ? bytes() : bytes(padding, ...Array(padding).fill(0xff));
  const frame = bytes(0x95, little(head.length, 8), head);
  return bytes(P4, "}", frame, pad, array, s8("y"), "K\x01ss.");
}

/** A time zone, with `getattr` and the class left in the memo. */
export const ZONE_NAME = bytes(
  short("_unpickle"),
  T2,
  "R",
  short("Europe/Berlin"),
  "K\x01",
  T2,
  "R",
);
export const ZONE = bytes(
  gl("__builtin__", "getattr"),
  "q\x07",
  gl("zoneinfo", "ZoneInfo"),
  "q\x08",
  ZONE_NAME,
);

/** Pickles without findings, by title. */
export const ORDINARY: readonly (readonly [string, Uint8Array])[] = [
  ["protocol 0", bytes("(dp0\nVa\np1\n(lp2\nI1\naF2.5\naI01\naNasV\\u20ac\np3\nL10L\ns.")],
  ["protocol 1", bytes("}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01G", new Uint8Array(8), "Neu.")],
  [
    "protocol 2",
    bytes(P2, "}q\x00(", binunicode("a"), "q\x01\x88", binunicode("b"), "K\x01\x85u."),
  ],
  ["protocol 3", bytes(0x80, 3, "](C\x03abcB\x01\x00\x00\x00xe.")],
  ["protocol 4", bytes(P4, 0x95, little(9, 8), "}", MEMOIZE, s8("a"), "K\x01s.")],
  ["protocol 5", bytes(0x80, 5, 0x96, little(3, 8), "abc", MEMOIZE, ".")],
  [
    "sets",
    bytes(P4, "\x8f\x94(K\x01K\x02\x90(K\x01\x910."),
  ],
  ["OrderedDict", bytes(P2, gl("collections", "OrderedDict"), ")R(", short("a"), "K\x01u.")],
  ["defaultdict", bytes(P2, gl("collections", "defaultdict"), gl("__builtin__", "list"), T1, "R.")],
  ["a Python 2 set", bytes("c__builtin__\nset\n((lI1\natR.")],
  [
    "a Python 2 object",
    bytes(
      "ccopy_reg\n_reconstructor\n(cargparse\nNamespace\nc__builtin__\nobject\nNtR(dS'a'\nI1\nsb.",
    ),
  ],
  ["time zones", bytes(P2, "(", ZONE, "q\x01h\x07h\x08", ZONE_NAME, "t.")],
  ["os.path is harmless", bytes(gl("os.path", "join"), ".")],
  ["a tuple of 50000", bytes(P2, "(", "K\x01".repeat(50_000), "t.")],
  ["a list that contains itself", bytes("]q\x00h\x00a.")],
  ["a state_dict", STATE_DICT],
  ["a legacy PyTorch file", bytes(LEGACY_TORCH, little(4, 8), HOSTILE_STORAGE)],
  [
    "a layer in a legacy PyTorch file, with its source",
    bytes(
      ...[P2, "(", short("module"), gl("torch.nn.modules.linear", "Linear"), short("linear.py")],
      ...[short("class Linear(Module): pass"), "tQ)\x81}", short("training"), "\x88sb."],
    ),
  ],
  [
    "a legacy PyTorch file in which a storage length begins like a pickle",
    bytes(LEGACY_TORCH, little(0x280, 8), HOSTILE_STORAGE),
  ],
  ["a NumPy array", NUMPY_ARRAY],
  ["bytes that are not a pickle", bytes(P4, binbytes(HOSTILE_STORAGE), ".")],
  [
    "bytes that are full of one instruction",
    bytes(P4, binbytes(new Uint8Array(1e5).fill(0x28)), "."),
  ],
  ["a harmless pickle in a pickle", bytes(P4, binbytes(bytes(P4, "K\x01.")), ".")],
  [
    "names that are valid base64",
    bytes(P4, "](", s8("attentionweights"), s8("cafebabecafebabe"), "e."),
  ],
  ["a string that could call an unlisted import", bytes(P4, s8("cacme\nNet\n)R."), ".")],
  ["a list of words", bytes(P4, binunicode("cos\nsin\ntan\n"), ".")],
  ["two pickles", bytes(P4, "K\x01.", P4, "K\x02.")],
  ["trailing zeros", bytes(P4, "(K\x01K\x01K\x01t.", new Uint8Array(100))],
  ["joblib", joblibFile(HOSTILE_STORAGE.slice(0, 100), { type: "u1", count: 100 })],
  ["joblib, aligned", joblibFile(new Uint8Array(96), { type: "f8", count: 12, padding: 9 })],
  [
    "joblib, protocol 1",
    bytes(
      ...[gl("copy_reg", "_reconstructor"), "(", gl("joblib.numpy_pickle", "NumpyArrayWrapper")],
      ...["c__builtin__\nobject\nNtR}(S'shape'\n(K\x04tS'dtype'\n", gl("numpy", "dtype")],
      ...["(S'i1'\ntRub\xff\xff\xff\xff."],
    ),
  ],
  [
    "joblib, objects in fields",
    bytes(
      ...[gl("joblib.numpy_pickle", "NumpyArrayWrapper"), ")\x81}(S'shape'\n(K\x01tS'dtype'\n"],
      ...[gl("numpy", "dtype"), "(S'V8'\ntR(K\x03S'|'\nN(S'a'\nt}S'a'\n(", gl("numpy", "dtype")],
      ...["(S'O8'\ntR(K\x03S'|'\nNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ftbK\x00ts"],
      ...["K\x08K\x01K\x1btbub"],
      ...["](K\x01K\x02K\x03e.."],
    ),
  ],
  [
    "a metric, with its own text as arguments",
    bytes(
      ...[P2, gl("chemprop.nn.metrics", "BinaryAUROC"), "(", binunicode("B"), binunicode("i")],
      ...["t\x81}(", binunicode("distributed_available_fn")],
      ...[gl("torchmetrics.metric", "jit_distributed_available"), binunicode("_reductions"), "}("],
      ...[binunicode("preds"), gl("torchmetrics.utilities.data", "dim_zero_cat"), "uub."],
    ),
  ],
  ["joblib, objects", joblibFile(bytes(P2, "](K\x01Ne."), { type: "O8", count: 2 })],
];
