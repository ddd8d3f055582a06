import * as assert from "node:assert/strict";
import { ScanStopped } from "../../../../../core/scanner/contract/checkpoint.ts";
import { SCAN_LIMITS } from "../../../../../core/scanner/contract/limits.ts";
import { looksLikePickle } from "../../../../../core/scanner/formats/pickle/probe.ts";
import { scanFile } from "../../../../../core/scanner/engine/scan.ts";
import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import {
  binbytes,
  binunicode,
  bytes,
  gl,
  little,
  MEMOIZE,
  P2,
  P4,
  PAYLOAD,
  s8,
  scan,
  sg,
  short,
  T1,
  T2,
  T3,
} from "./pickle_bytes.ts";

/** A storage full of what instructions, imports and programs begin with. */
const HOSTILE_STORAGE = bytes(...Array(200).fill(bytes("MZ\x80\x02cos\nsystem\n)R.(K\x01tR")));

/** A tensor of the state of a model, as torch.save writes it. */
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

const LEGACY_TORCH = bytes(
  ...[MAGIC, P2, "M\xe9\x03.", P2, "}(", binunicode("protocol_version"), "M\xe9\x03u."],
  ...[STATE_DICT, P2, "](", binunicode("0"), "e."],
);

/** numpy.zeros(4), protocol 2: the bytes are a text that `_codecs.encode` turns back. */
const NUMPY_ARRAY = bytes(
  ...[P2, gl("numpy.core.multiarray", "_reconstruct"), gl("numpy", "ndarray"), "K\x00", T1],
  ...["c_codecs\nencode\n", binunicode("b"), binunicode("latin1"), T2, "R", T3, "R(K\x01K\x04"],
  ...[T1, gl("numpy", "dtype"), binunicode("f8"), "\x89\x88", T3, "R(K\x03", binunicode("<")],
  ...["NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89"],
  ...["c_codecs\nencode\n", binunicode("\0".repeat(32)), binunicode("latin1"), T2, "Rtb."],
);

/** A file of joblib: a stand-in, then the bytes of the array, then the rest of the pickle. */
function joblibFile(array: Uint8Array, options: { type: string; count: number; padding?: number }) {
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

/** What the class of time zones gives for a key, with `getattr` and the class still in the memo. */
const ZONE_NAME = bytes(short("_unpickle"), T2, "R", short("Europe/Berlin"), "K\x01", T2, "R");
const ZONE = bytes(
  gl("__builtin__", "getattr"),
  "q\x07",
  gl("zoneinfo", "ZoneInfo"),
  "q\x08",
  ZONE_NAME,
);

const PLAIN: readonly (readonly [string, Uint8Array])[] = [
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
  ["a set of Python 2", bytes("c__builtin__\nset\n((lI1\natR.")],
  [
    "an object of Python 2",
    bytes(
      "ccopy_reg\n_reconstructor\n(cargparse\nNamespace\nc__builtin__\nobject\nNtR(dS'a'\nI1\nsb.",
    ),
  ],
  ["time zones", bytes(P2, "(", ZONE, "q\x01h\x07h\x08", ZONE_NAME, "t.")],
  ["os.path is no danger", bytes(gl("os.path", "join"), ".")],
  ["a tuple of 50000", bytes(P2, "(", "K\x01".repeat(50_000), "t.")],
  ["a list in itself", bytes("]q\x00h\x00a.")],
  ["a state_dict", STATE_DICT],
  ["a legacy file of PyTorch", bytes(LEGACY_TORCH, little(4, 8), HOSTILE_STORAGE)],
  [
    "a layer in a legacy file of PyTorch, with its source",
    bytes(
      ...[P2, "(", short("module"), gl("torch.nn.modules.linear", "Linear"), short("linear.py")],
      ...[short("class Linear(Module): pass"), "tQ)\x81}", short("training"), "\x88sb."],
    ),
  ],
  [
    "a legacy file of PyTorch, of which the length of a storage begins like a pickle",
    bytes(LEGACY_TORCH, little(0x280, 8), HOSTILE_STORAGE),
  ],
  ["a NumPy array", NUMPY_ARRAY],
  ["bytes that are no pickle", bytes(P4, binbytes(HOSTILE_STORAGE), ".")],
  [
    "bytes that are full of one instruction",
    bytes(P4, binbytes(new Uint8Array(1e5).fill(0x28)), "."),
  ],
  ["a harmless pickle in a pickle", bytes(P4, binbytes(bytes(P4, "K\x01.")), ".")],
  [
    "names that are words of base64",
    bytes(P4, "](", s8("attentionweights"), s8("cafebabecafebabe"), "e."),
  ],
  ["a text that could call something unlisted", bytes(P4, s8("cacme\nNet\n)R."), ".")],
  ["a list of words", bytes(P4, binunicode("cos\nsin\ntan\n"), ".")],
  ["two pickles", bytes(P4, "K\x01.", P4, "K\x02.")],
  ["zeros behind it", bytes(P4, "(K\x01K\x01K\x01t.", new Uint8Array(100))],
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
      ...[gl("numpy", "dtype"), "(S'V8'\ntR(K\x03S'|'\nNNNK\x08K\x01K\x01tbub"],
      ...["](K\x01K\x02K\x03e.."],
    ),
  ],
  ["joblib, objects", joblibFile(bytes(P2, "](K\x01Ne."), { type: "O8", count: 2 })],
];

Deno.test("C 16: ordinary pickles are clean, and what was checked is told", async (t) => {
  for (const [title, content] of PLAIN) {
    await t.step(title, () => {
      const { failed, checks } = scan(content);
      assert.deepEqual(failed, []);
      assert.equal(checks.length, 10);
      assert.equal(new Set(checks.map(({ name }) => name)).size, 10);
      assert.ok(pickleScanner.matches({ source: memorySource(content), name: "x", depth: 1 }));
    });
  }
});

Deno.test("SR 2.5: depth, instructions and suspicious findings are noted", () => {
  assert.deepEqual(scan(bytes(P4, "(K\x01K\x02K\x03t.")).notes, {
    max_stack_depth: 3,
    opcode_count: 7,
    suspicious_count: 0,
  });
  assert.equal(scan(bytes(P4, PAYLOAD)).notes.suspicious_count, 1);
});

Deno.test("C 16: an import is told once, with its number and first place", () => {
  const { failed } = scan(bytes("](", ...Array(50).fill(gl("os", "getpid")), "e."));
  assert.equal(failed.length, 1);
  const [{ position, details, message } = {}] = failed;
  assert.equal(position, 2);
  assert.equal(message, "Imports os.getpid");
  assert.deepEqual(details, {
    module: "os",
    name: "getpid",
    opcode: "GLOBAL",
    count: 50,
    called: false,
  });
});

Deno.test("C 16: an unlisted import that is never called is a remark", () => {
  const { verdict, failed } = scan(bytes(gl("acme.models", "Net"), "."));
  assert.equal(verdict, "OK");
  assert.deepEqual(failed.map(({ severity }) => severity), ["info"]);
});

Deno.test("C 16: a million different imports are not a million checks, and the worst is told", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => gl("acme", `f${i}`));
  const { checks, failed } = scan(bytes("(", ...names, gl("os", "getpid"), "t."));
  assert.ok(checks.length <= 1010);
  assert.equal(failed[0]?.severity, "critical");
  assert.ok(failed.some(({ message }) => message.endsWith("are not told one by one")));
});

Deno.test("C 16: long texts of the file are cut short in messages", () => {
  const { failed } = scan(bytes(gl("a".repeat(5000), "b\x07".repeat(2000)), ")R."));
  assert.ok(failed[0] !== undefined && failed[0].message.length < 300);
  assert.ok(JSON.stringify(failed).length < 1500);
});

Deno.test("C 16: persistent ids of storages are ordinary, others a remark", () => {
  assert.deepEqual(scan(bytes("Pstorage1\n.")).failed.map(({ ruleCode }) => ruleCode), ["S212"]);
});

const NO_PICKLES: readonly (readonly [string, Uint8Array])[] = [
  ["empty", bytes()],
  ["one byte", bytes(".")],
  ["evasion 37: GLOBAL with a name that is no UTF-8", bytes("cmod\n\xff\xfe\n.")],
  ["text", bytes("import os\nprint(os)\n")],
  ["text that begins with STOP", bytes(".TH MAN 1\n.SH NAME\n")],
  ["text that begins with UNICODE", bytes("Version 1.0\nVery good\nindeed\n")],
  ["text that begins with None and STOP", bytes("N. Smith wrote this\n")],
  ["text that begins with two lines of GLOBAL", bytes("cats\ndogs\nand others\n")],
  ["text that begins with GLOBAL and STOP", bytes("c++ is\nfast\n. And more\n")],
  ["JSON", bytes('{"a": [1, 2]}')],
  ["zeros", new Uint8Array(1000)],
  ["weights of one value", new Uint8Array(100_000).fill(0x28)],
  ["weights that begin with PROTO", bytes(P2, "\x3f\x80\x00\x00\x3f", new Uint8Array(100))],
  ["weights that begin with PROTO and a length", bytes(P2, "X\xff\xff\xff\xff", new Uint8Array(9))],
  ["a ZIP archive", bytes("PK\x03\x04", new Uint8Array(100))],
];

Deno.test("looksLikePickle() claims neither text nor weights", async (t) => {
  for (const [title, content] of NO_PICKLES) {
    await t.step(title, () => assert.equal(looksLikePickle(memorySource(content)), false));
  }
});

Deno.test("looksLikePickle() claims no random bytes", () => {
  const random = generator(7);
  for (let i = 0; i < 5000; i++) {
    const content = Uint8Array.from({ length: 400 }, () => random(256));
    if (i % 2 === 0) content.set([0x80, random(6)]);
    assert.equal(looksLikePickle(memorySource(content)), false, content.toHex());
  }
});

Deno.test("a pickle by name is scanned though its content is none, and is inconclusive", () => {
  const content = bytes("no pickle at all");
  const claims = (name: string, content: Uint8Array) =>
    pickleScanner.matches({ source: memorySource(content), name, depth: 0 });
  assert.equal(claims("a.pkl", content), true);
  assert.equal(claims("a.txt", content), false);
  assert.equal(claims("a.pkl", bytes("PK\x03\x04", new Uint8Array(100))), false);
  assert.equal(claims("a.pkl", bytes()), false);
  assert.equal(scan(content).verdict, "I");
});

Deno.test("an empty file and one of a byte are scanned without an exception", () => {
  assert.equal(scan(bytes()).verdict, "OK");
  assert.equal(scan(bytes(".")).verdict, "I");
});

Deno.test("what loaders do with the end of a file tells nothing of the next pickle", () => {
  assert.equal(scan(bytes(LEGACY_TORCH.subarray(0, LEGACY_TORCH.length - 3))).verdict, "I");
});

/** Numbers below a bound that are the same each time (mulberry32). */
function generator(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

function mutated(content: Uint8Array, random: (bound: number) => number): Uint8Array {
  const copy = [...content];
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(copy.length + 1);
    const kind = random(4);
    if (kind === 0) copy[at] = random(256);
    else if (kind === 1) copy.splice(at, random(8));
    else if (kind === 2) copy.splice(at, 0, random(256));
    else copy.splice(at, 0, ...copy.slice(random(copy.length + 1)).slice(0, 20));
  }
  return Uint8Array.from(copy);
}

Deno.test("C 16: no mutation of a pickle makes the scanner throw or go on without end", () => {
  const random = generator(20260101);
  const seeds = [...PLAIN.map(([, content]) => content), bytes(P4, PAYLOAD)]
    .filter(({ length }) => length < 1000);
  for (let i = 0; i < 4000; i++) {
    const content = mutated(seeds[i % seeds.length] ?? bytes(), random);
    const { notes, checks } = scan(content, { limits: { maxOpcodes: 5000 } });
    assert.ok(Number(notes.opcode_count) <= 5000, content.toHex());
    for (const { status, severity } of checks) {
      assert.equal(severity === undefined, status !== "failed", content.toHex());
    }
    looksLikePickle(memorySource(content));
  }
});

/** A pickle of one list of 200 byte strings of a mebibyte, which are made up when they are read. */
function vastSource(): ByteSource & { largest: number; total: number } {
  const chunk = 1024 * 1024;
  const item = bytes("B", little(chunk, 4));
  const stride = item.length + chunk;
  const head = bytes(P4, "](");
  const tail = bytes("e0", PAYLOAD);
  const size = head.length + 200 * stride + tail.length;
  const byteAt = (at: number): number => {
    if (at < head.length) return head[at] ?? 0;
    if (at >= size - tail.length) return tail[at - (size - tail.length)] ?? 0;
    return item[(at - head.length) % stride] ?? (at % 251);
  };
  return {
    size,
    largest: 0,
    total: 0,
    read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      for (let i = 0; i < bytes.length; i++) bytes[i] = byteAt(offset + i);
      this.largest = Math.max(this.largest, bytes.length);
      this.total += bytes.length;
      return bytes;
    },
  };
}

Deno.test("C 16: 200 MB are walked through a window, and never held", () => {
  const source = vastSource();
  const { verdict, notes } = scan(source);
  assert.equal(verdict, "C");
  assert.equal(notes.opcode_count, 209);
  assert.ok(source.largest <= 64 * 1024, `${source.largest} bytes at once`);
  assert.ok(source.total < 50 * 1024 * 1024, `${source.total} bytes of ${source.size}`);
});

Deno.test("C 16: a line that never ends is not read for ever", () => {
  let total = 0;
  const size = 2 ** 40;
  const endless: ByteSource = {
    size,
    read(offset, length) {
      total += length;
      const bytes = new Uint8Array(length).fill(0x41);
      if (offset === 0) bytes[0] = 0x56;
      return bytes;
    },
  };
  assert.equal(scan(endless).verdict, "I");
  assert.ok(total < 64 * 1024 * 1024, `${total} bytes`);
});

Deno.test("C 16: getattr of a time zone is none where the bytes of an array call it as well", () => {
  const hidden = bytes("h\x07)", s8("x"), T2, "R.");
  const file = joblibFile(hidden, { type: "u1", count: hidden.length });
  assert.equal(scan(bytes(P4, ZONE, "0", file.subarray(2))).verdict, "C");
  const plain = joblibFile(new Uint8Array(9), { type: "u1", count: 9 });
  assert.equal(scan(bytes(P4, ZONE, "0", plain.subarray(2))).verdict, "OK");
});

Deno.test("C 16: getattr is harmless for time zones, and for nothing else besides them", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["another attribute", bytes("h\x07", gl("collections", "OrderedDict"), short("copy"), T2, "R")],
    ["an attribute of no class", bytes("h\x07)", short("_unpickle"), T2, "R")],
    ["the function itself", bytes("h\x07")],
    ["the function in a copy", bytes("h\x072h\x08", short("_unpickle"), T2, "R")],
    ["the function as an argument", bytes(gl("acme", "run"), "h\x07", T1, "R")],
    [
      "the function as an id",
      bytes(short("module"), "h\x07", T2, "q\x09Qh\x08", short("_unpickle"), T2, "R"),
    ],
    [
      "the function within a call of the next pickle",
      bytes("0.", P2, "(h\x07)", short("x"), T2, "R"),
    ],
  ];
  for (const [title, rest] of rows) {
    await t.step(title, () => {
      const content = bytes(P2, "(", ZONE, rest, "t.");
      assert.equal(scan(content).verdict, "C");
    });
  }
});

Deno.test("C 16 what a pickle imports is told also where the time is over on the way", () => {
  const bytes = new TextEncoder().encode(`cos\nsystem\n0${"K\x010".repeat(200_000)}N.`);
  let reads = 0;
  const scan = scanFile({
    source: memorySource(bytes),
    name: "model.pkl",
    scanners: [pickleScanner],
    limits: SCAN_LIMITS,
    checkpoint() {
      // Hashing and recognising it take fewer.
      if (++reads > 8) throw new ScanStopped();
    },
  });
  assert.deepEqual(scan.inconclusive, ["time_limit"]);
  assert.ok(
    scan.checks.some(({ severity, message }) =>
      severity === "critical" && /os\.system/.test(message)
    ),
  );
});
