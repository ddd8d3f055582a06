import * as assert from "node:assert/strict";
import { deflateSync, zstdCompressSync } from "node:zlib";
import { hdf5Scanner } from "../../../../../core/scanner/formats/hdf5/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import { verdict } from "../../verdict.ts";
import {
  externalLink,
  hardLink,
  Hdf5Builder,
  join,
  type Message,
  number,
  UNDEFINED,
} from "../../readers/hdf5/hdf5_bytes.ts";
import { assertNeverThrows, failures, scan } from "../format_scan.ts";
import { HARMFUL_CODE } from "../marshalled_code.ts";

const scanModel = (content: Uint8Array | ByteSource) =>
  scan(hdf5Scanner, content, { name: "model.h5" });

function config(code?: string): string {
  const lambda = {
    class_name: "Lambda",
    config: { name: "l", function: [code, null, null], function_type: "lambda" },
  };
  const dense = { class_name: "Dense", config: { name: "d", units: 4 } };
  const layers = code === undefined ? [dense] : [dense, lambda];
  return JSON.stringify({ class_name: "Sequential", config: { name: "s", layers } });
}

const TRAINING = JSON.stringify({ optimizer_config: { class_name: "Adam", config: {} } });

function model(
  file: Hdf5Builder,
  { code, version = "2.15.0" }: { code?: string; version?: string } = {},
): Uint8Array {
  const weights = file.object(file.fixedText("weight_names", "kernel:0"));
  return file.build(file.object(
    file.text("keras_version", version),
    file.fixedText("backend", "tensorflow"),
    file.text("model_config", config(code)),
    file.text("training_config", TRAINING),
    hardLink("model_weights", weights),
  ));
}

const VERSIONS = [0, 1, 2, 3] as const;

Deno.test("C 16 a benign HDF5 model passes every check", async (t) => {
  for (const version of VERSIONS) {
    await t.step(`superblock of version ${version}`, () => {
      const { checks, metadata } = scanModel(model(new Hdf5Builder(version)));
      assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
        "passed HDF5 Structure",
        "passed HDF5 External Reference",
        "passed Credential",
        "passed Keras Configuration",
        "passed Keras Code",
        "passed Keras Module Reference",
        "passed Keras Custom Object",
        "passed Keras Unsafe Deserialization",
        "passed Keras File Access",
      ]);
      assert.equal(metadata.model_class, "Sequential");
      assert.equal(metadata.keras_version, "2.15.0");
      assert.deepEqual(metadata.layer_counts, { Dense: 1 });
    });
  }
});

Deno.test("C 16 a file with weights only is clean", () => {
  const file = new Hdf5Builder();
  const weights = file.object(file.fixedText("note", '{"class_name": "Lambda", "config": {}}'));
  const { checks, metadata } = scanModel(file.build(file.object(hardLink("weights", weights))));
  assert.equal(verdict(checks), "OK");
  assert.equal(checks.length, 3);
  assert.deepEqual(metadata, {});
});

Deno.test("C 16 a lambda is found wherever the configuration is stored", async (t) => {
  for (const version of VERSIONS) {
    const code = HARMFUL_CODE;
    const storages: [string, (file: Hdf5Builder) => Uint8Array][] = [
      ["a variable-length string", (file) => model(file, { code })],
      [
        "a fixed-length string",
        (file) => file.build(file.object(file.fixedText("model_config", config(code), 20))),
      ],
      [
        "training_config",
        (file) => file.build(file.object(file.text("training_config", config(code)))),
      ],
      [
        "a continuation",
        (file) =>
          file.build(file.object(file.continuation(file.text("model_config", config(code))))),
      ],
      [
        "a continuation of a continuation",
        (file) =>
          file.build(
            file.object(
              file.continuation(file.continuation(file.text("model_config", config(code)))),
            ),
          ),
      ],
      [
        "another object",
        (file) =>
          file.build(
            file.object(hardLink("a", file.object(file.text("model_config", config(code))))),
          ),
      ],
      [
        "a user block before it",
        (file) =>
          file.build(file.object(file.text("model_config", config(code))), new Uint8Array(512)),
      ],
      [
        "a larger user block",
        (file) =>
          file.build(
            file.object(file.text("model_config", config(code))),
            new Uint8Array(4096).fill(0x20),
          ),
      ],
    ];
    for (const [name, build] of storages) {
      await t.step(`${name}, version ${version}`, () => {
        const content = build(new Hdf5Builder(version));
        const { checks } = scanModel(content);
        assert.equal(failures(checks, "Keras Code")[0]?.severity, "critical");
        assert.deepEqual(failures(checks, "HDF5 Structure"), []);
        const source = memorySource(content);
        assert.equal(hdf5Scanner.matches({ source, name: "x.bin", depth: 0 }), true);
      });
    }
  }
});

Deno.test("C 16 a list of one string is read as a string, a longer list is ignored", () => {
  for (const version of VERSIONS) {
    const file = new Hdf5Builder(version);
    const list = (count: number) => file.fixedTexts("model_config", config(HARMFUL_CODE), count);
    assert.equal(verdict(scanModel(file.build(file.object(list(1)))).checks), "C");
    assert.equal(verdict(scanModel(file.build(file.object(list(2)))).checks), "OK");
  }
});

Deno.test("C 16 Keras versions that run a lambda in safe mode make it critical (CVE-2025-9905)", async (t) => {
  const table: [string, string][] = [
    ["2.12.0", "C"],
    ["2.15.0", "W"],
    ["3.0.0", "C"],
    ["3.11.2", "C"],
    ["3.11.3", "W"],
    ["", "W"],
  ];
  for (const [version, expected] of table) {
    await t.step(version || "unknown", () => {
      const content = model(new Hdf5Builder(), { code: "lambda x: x + 1", version });
      assert.equal(verdict(scanModel(content).checks), expected);
    });
  }
});

Deno.test("C 16 storage that is not parsed is searched as raw bytes", async (t) => {
  const dense = { type: 0x15, data: join(number(0, 2), number(0x400, 8), UNDEFINED) };
  const none = { type: 0x15, data: join(number(0, 2), UNDEFINED, UNDEFINED) };
  const hidden = (file: Hdf5Builder, code?: string) => {
    file.add("\0\x01name", new Uint8Array(3), config(code), "\0");
    return file;
  };
  await t.step("dense attributes", () => {
    const file = hidden(new Hdf5Builder(2), HARMFUL_CODE);
    const { checks } = scanModel(file.build(file.object(dense)));
    assert.equal(failures(checks, "Keras Code")[0]?.severity, "critical");
    assert.equal(failures(checks, "HDF5 Structure")[0]?.incomplete, "hdf5_dense_attributes");
  });
  await t.step("dense attributes without a lambda", () => {
    const file = hidden(new Hdf5Builder(2));
    const { checks, metadata } = scanModel(file.build(file.object(dense)));
    assert.equal(verdict(checks), "I");
    assert.equal(metadata.model_class, "Sequential");
  });
  await t.step("across a chunk border", () => {
    const file = new Hdf5Builder(2);
    file.add(new Uint8Array(2 ** 20 - 48 - 20));
    hidden(file, HARMFUL_CODE);
    assert.equal(verdict(scanModel(file.build(file.object(dense))).checks), "C");
  });
  await t.step("but not if everything was parsed", () => {
    const file = hidden(new Hdf5Builder(2), HARMFUL_CODE);
    assert.equal(verdict(scanModel(file.build(file.object(none))).checks), "OK");
  });
  await t.step("a shared attribute", () => {
    const file = hidden(new Hdf5Builder(), HARMFUL_CODE);
    const shared = { ...file.text("x", "y"), flags: 2 };
    assert.equal(verdict(scanModel(file.build(file.object(shared))).checks), "C");
  });
  await t.step("an attribute with a shared type", () => {
    const file = hidden(new Hdf5Builder(2));
    const message = file.text("keras_version", "3.0");
    message.data[1] = 1;
    assert.equal(verdict(scanModel(file.build(file.object(message))).checks), "I");
  });
  await t.step("dense links", () => {
    const file = new Hdf5Builder(2);
    const links = { type: 2, data: join(number(0x100, 2), number(0, 8), number(64, 8), UNDEFINED) };
    const [failure] = failures(scanModel(file.build(file.object(links))).checks, "HDF5 Structure");
    assert.equal(failure?.incomplete, "hdf5_dense_links");
  });
});

Deno.test("C 16 references to other files are reported", async (t) => {
  const link = (path: string) => {
    const file = new Hdf5Builder();
    return file.build(file.object(externalLink("x", path)));
  };
  const storage = (path: string) => {
    const file = new Hdf5Builder();
    const names = file.add("\0".repeat(8), path, "\0");
    const heap = file.add("HEAP", number(0, 4), number(200, 8), UNDEFINED, number(names, 8));
    file.add(new Uint8Array(200));
    const data = join(
      number(1, 4),
      number(1, 2),
      number(1, 2),
      number(heap, 8),
      number(8, 8),
      number(0, 16),
    );
    return file.build(file.object(hardLink("d", file.object({ type: 7, data }))));
  };
  const layout = (version: number, layoutClass: number) => {
    const file = new Hdf5Builder(2);
    const data = join(number(version, 1), number(layoutClass, 1), UNDEFINED);
    return file.build(file.object({ type: 8, data }));
  };
  const table: [string, Uint8Array, string][] = [
    ["a link to a system file", link("/etc/passwd"), "critical"],
    ["a link upwards", link("a/../../x.h5"), "critical"],
    ["a link to a sibling file", link("x.h5"), "warning"],
    ["storage in a system file", storage("/etc/passwd"), "critical"],
    ["storage in a sibling file", storage("x.raw"), "warning"],
    ["a virtual dataset", layout(4, 3), "warning"],
  ];
  for (const [name, content, severity] of table) {
    await t.step(name, () => {
      const { checks } = scanModel(content);
      const [failure] = failures(checks, "HDF5 External Reference");
      assert.equal(failure?.severity, severity);
      assert.deepEqual(failures(checks, "HDF5 Structure"), []);
    });
  }
  await t.step("internal data is not a reference", () => {
    for (const content of [layout(3, 1), layout(3, 2), layout(1, 3)]) {
      assert.equal(verdict(scanModel(content).checks), "OK");
    }
  });
});

function symbolTable(file: Hdf5Builder, child: (tree: number) => number): Uint8Array {
  const node = (object: number) =>
    file.add("SNOD", number(1, 2), number(1, 2), number(0, 8), number(object, 8), number(0, 24));
  const tree = (level: number, address: number) =>
    file.add(
      "TREE",
      number(0, 1),
      number(level, 1),
      number(1, 2),
      UNDEFINED,
      UNDEFINED,
      number(0, 8),
      number(address, 8),
      number(0, 8),
    );
  const leaf = tree(0, node(child(0)));
  const data = join(number(tree(1, leaf), 8), number(0, 8));
  return file.build(file.object({ type: 0x11, data }));
}

Deno.test("C 16 groups of the first version are walked", () => {
  const file = new Hdf5Builder();
  const content = symbolTable(file, () => file.object(externalLink("x", "../y")));
  assert.equal(verdict(scanModel(content).checks), "C");
});

Deno.test("C 16 objects in a cycle are visited once", () => {
  const file = new Hdf5Builder();
  const root = file.add(new Uint8Array());
  const link = hardLink("self", root);
  assert.equal(file.object(link, externalLink("x", "/y")), root);
  const { checks } = scanModel(file.build(root));
  assert.equal(failures(checks, "HDF5 External Reference").length, 1);
  assert.deepEqual(failures(checks, "HDF5 Structure"), []);

  const loop = new Hdf5Builder();
  const tree = loop.add(
    "TREE",
    number(0x100, 2),
    number(1, 2),
    UNDEFINED,
    UNDEFINED,
    number(0, 8),
    number(96, 8),
    number(0, 8),
  );
  assert.equal(tree, 96);
  const data = join(number(tree, 8), number(0, 8));
  assert.equal(verdict(scanModel(loop.build(loop.object({ type: 0x11, data }))).checks), "OK");
});

Deno.test("C 16 objects that share their parts take bounded work", () => {
  const file = new Hdf5Builder();
  const shared = file.continuation(
    ...Array.from({ length: 4000 }, (_, index) => file.fixedText(`a${index}`, "x")),
  );
  const objects = Array.from(
    { length: 2000 },
    (_, index) => hardLink(`o${index}`, file.object(shared)),
  );
  const { checks } = scanModel(file.build(file.object(...objects)));
  const [failure] = failures(checks, "HDF5 Structure");
  assert.equal(failure?.incomplete, "hdf5_read_limit");
  assert.equal(failure.operational, true);
});

Deno.test("C 16 an unreadable file is inconclusive and searched as raw bytes", async (t) => {
  const whole = model(new Hdf5Builder(), { code: HARMFUL_CODE });
  const table: [string, Uint8Array, string][] = [
    ["a signature alone", whole.subarray(0, 8), "I"],
    ["a superblock alone", whole.subarray(0, 96), "I"],
    ["a superblock of version 9", whole.with(8, 9), "C"],
    ["offsets of 3 bytes", whole.with(13, 3), "C"],
    ["a truncated header", whole.subarray(0, -100), "C"],
    ["an address beyond the file", whole.with(64 + 5, 0x7f), "C"],
    ["an address over 2^53", whole.with(64 + 7, 0x7f), "C"],
    ["no signature", whole.with(0, 0), "C"],
  ];
  for (const [name, content, expected] of table) {
    await t.step(name, () => {
      const { checks } = scanModel(content);
      assert.equal(verdict(checks), expected);
      assert.equal(failures(checks, "HDF5 Structure")[0]?.incomplete, "malformed_hdf5");
    });
  }
  await t.step("a heap without the string", () => {
    const file = new Hdf5Builder();
    const { type, data } = file.text("model_config", config());
    const bad = { type, data: join(data.subarray(0, -4), number(9, 4)) };
    const { checks } = scanModel(file.build(file.object(bad)));
    assert.equal(failures(checks, "HDF5 Structure")[0]?.incomplete, "malformed_hdf5");
  });
});

Deno.test("C 16 matches HDF5 by a signature at every valid offset", () => {
  const content = model(new Hdf5Builder());
  const matches = (bytes: Uint8Array) =>
    hdf5Scanner.matches({ source: memorySource(bytes), name: "x", depth: 0 });
  assert.equal(matches(content), true);
  for (const size of [512, 1024, 2048, 65_536]) {
    assert.equal(matches(join(new Uint8Array(size), content)), true, String(size));
  }
  for (const size of [1, 256, 1536]) {
    assert.equal(matches(join(new Uint8Array(size), content)), false, String(size));
  }
  assert.equal(matches(new Uint8Array()), false);
  assert.equal(matches(content.subarray(0, 7)), false);
});

Deno.test("C 16 mutations of HDF5 files throw nothing", () => {
  const file = new Hdf5Builder();
  const groups = symbolTable(file, () => file.object(externalLink("x", "../y")));
  const code = HARMFUL_CODE;
  assertNeverThrows(hdf5Scanner, [
    model(new Hdf5Builder(), { code }),
    model(new Hdf5Builder(2), { code }),
    groups,
  ], { name: "model.h5" });
});

const decoder = new TextDecoder();
const PAYLOAD = "cos\nsystem\n(S'id'\ntR.";
const scalarSpace = (file: Hdf5Builder) => file.version < 2 ? number(1, 8) : number(2, 4);

/** The datatype of integers of one byte. */
const BYTES: Message = {
  type: 3,
  data: join(number(0x10, 4), number(1, 4), number(0, 2), number(8, 2)),
};
/** The datatype of `float32`. */
const FLOATS: Message = { type: 3, data: join(number(0x11, 4), number(4, 4), number(0, 12)) };

/** The layout of contiguous or compact data. */
function layout(file: Hdf5Builder, content: string, compact = false): Message {
  const data = compact
    ? join(number(3, 1), number(0, 1), number(content.length, 2), content)
    : join(number(3, 1), number(1, 1), number(file.add(content), 8), number(content.length, 8));
  return { type: 8, data };
}

/** The layout of contiguous or compact data as the first versions of the library write it. */
function formerLayout(
  file: Hdf5Builder,
  version: 1 | 2,
  content: string,
  compact = false,
): Message {
  const head = join(number(version, 1), number(1, 1), number(compact ? 0 : 1, 6));
  const size = number(content.length, 4);
  return {
    type: 8,
    data: compact
      ? join(head, size, size, content)
      : join(head, number(file.add(content), 8), size),
  };
}

const compound = join(number(0x16, 1), number(1, 3), number(PAYLOAD.length, 4), "m\0");

/** A contiguous or compact dataset of one-byte integers. */
function byteDataset(
  file: Hdf5Builder,
  content: string,
  compact: boolean,
  reversed = false,
): number {
  const messages = [BYTES, layout(file, content, compact)];
  return file.object(...(reversed ? messages.reverse() : messages));
}

Deno.test("evasion 73: pickles in attributes and datasets are members", async (t) => {
  for (const version of VERSIONS) {
    const bytesOf = (typeClass: number, size: number) =>
      join(number(0x10 + typeClass, 4), number(size, 4));
    const attributes: [string, (file: Hdf5Builder) => ReturnType<Hdf5Builder["attribute"]>][] = [
      ["text", (file) => file.fixedText("a", PAYLOAD)],
      ["padded text", (file) => file.fixedText("a", PAYLOAD, 3)],
      ["text of variable length", (file) => file.text("a", PAYLOAD)],
      [
        "opaque bytes",
        (file) => file.attribute("a", bytesOf(5, PAYLOAD.length), join(PAYLOAD), scalarSpace(file)),
      ],
      ["numbers of one byte", (file) => {
        const head = file.version < 2 ? number(0x0101, 8) : number(0x01_0001_02, 4);
        const space = join(head, number(PAYLOAD.length, 8));
        return file.attribute("a", join(bytesOf(0, 1), number(0, 4)), join(PAYLOAD), space);
      }],
    ];
    for (const [name, attribute] of attributes) {
      await t.step(`${name}, superblock ${version}`, () => {
        const file = new Hdf5Builder(version);
        const { members, checks } = scanModel(file.build(file.object(attribute(file))));
        assert.deepEqual(members.map(({ name }) => name), ["a"]);
        assert.deepEqual(failures(checks), []);
      });
    }
    for (const [compact, reversed] of [[true, false], [false, false], [false, true]] as const) {
      const kind = `${compact ? "compact" : "contiguous"} data${reversed ? ", its type last" : ""}`;
      await t.step(`${kind}, superblock ${version}`, () => {
        const file = new Hdf5Builder(version);
        const data = byteDataset(file, PAYLOAD, compact, reversed);
        const { members } = scanModel(file.build(file.object(hardLink("d", data))));
        const [member] = members;
        assert.equal(members.length, 1);
        assert.match(member?.name ?? "", /^data at \d+$/);
        assert.equal(decoder.decode(member?.source.read(0, 100)), PAYLOAD);
      });
    }
  }
  const several: [string, (file: Hdf5Builder) => Message[]][] = [
    ["a second layout", (file) => [BYTES, layout(file, PAYLOAD), layout(file, "harmless")]],
    ["a first layout", (file) => [BYTES, layout(file, "harmless"), layout(file, PAYLOAD)]],
    ["a second type", (file) => [BYTES, layout(file, PAYLOAD), FLOATS]],
    ["a first type", (file) => [FLOATS, layout(file, PAYLOAD), BYTES]],
    ["a layout outside of the file", (file) => [
      BYTES,
      { type: 8, data: join(number(3, 1), number(1, 1), number(2 ** 40, 8), number(9, 8)) },
      layout(file, PAYLOAD),
    ]],
    ["layouts in continuations", (file) => [
      BYTES,
      file.continuation(layout(file, PAYLOAD)),
      file.continuation(layout(file, "harmless")),
    ]],
    ["types in continuations", (file) => [
      layout(file, PAYLOAD),
      file.continuation(BYTES),
      file.continuation(FLOATS),
    ]],
  ];
  const types: [string, Uint8Array][] = [
    ["records", compound],
    ["arrays", join(number(0x1a, 4), number(PAYLOAD.length, 4), number(1, 1))],
    ["enumerated bytes", join(number(0x18, 4), number(1, 4), BYTES.data)],
    ["bit fields", join(number(0x14, 4), number(1, 4), number(0, 2), number(8, 2))],
  ];
  for (const [name, data] of types) {
    several.push([name, (file) => [{ type: 3, data }, layout(file, PAYLOAD)]]);
  }
  const committed = (file: Hdf5Builder, heading: Uint8Array): Message[] => {
    const type = file.object(BYTES);
    return [{ type: 3, flags: 2, data: join(heading, number(type, 8)) }, layout(file, PAYLOAD)];
  };
  several.push(
    ["a committed type, version 1", (file) => committed(file, number(1, 8))],
    ["a committed type, version 2", (file) => committed(file, number(2, 2))],
    ["a committed type, version 3", (file) => committed(file, number(0x0203, 2))],
    ["a layout of version 1", (file) => [BYTES, formerLayout(file, 1, PAYLOAD)]],
    ["a layout of version 2", (file) => [BYTES, formerLayout(file, 2, PAYLOAD)]],
    ["a compact layout of version 1", (file) => [BYTES, formerLayout(file, 1, PAYLOAD, true)]],
    ["sequences", (file) => {
      file.text("unused", PAYLOAD);
      const type = join(number(0x19, 4), number(16, 4), BYTES.data);
      return [{ type: 3, data: type }, layout(file, "\0".repeat(16))];
    }],
  );
  for (const [name, messages] of several) {
    for (const version of VERSIONS) {
      await t.step(`data beside ${name}, superblock ${version}`, () => {
        const file = new Hdf5Builder(version);
        const { members } = scanModel(file.build(file.object(...messages(file))));
        const found = members.map(({ source }) => decoder.decode(source.read(0, 100)));
        assert.deepEqual(found, [PAYLOAD]);
      });
    }
  }
  await t.step("arrays of PyTables in the heap, wherever it is", () => {
    const file = new Hdf5Builder();
    file.add("GCOL", new Uint8Array(4), number(2 ** 40, 8), number(1, 8), number(2 ** 41, 8));
    file.add(new Uint8Array(2 ** 20 - file.add("") - 2));
    file.text("unused", PAYLOAD);
    const { members } = scanModel(file.build(file.object(file.fixedText("CLASS", "VLARRAY"))));
    assert.equal(members.length, 1);
  });
});

Deno.test("evasion 73: a pickle in an attribute whose type is committed is a member", () => {
  const file = new Hdf5Builder(2);
  const type = file.object({ type: 3, data: join(number(0x15, 4), number(PAYLOAD.length, 4)) });
  const message = file.attribute("a", join(number(0x0203, 2), number(type, 8)), join(PAYLOAD));
  message.data[1] = 1;
  const { members } = scanModel(file.build(file.object(message)));
  assert.deepEqual(members.map(({ name }) => name), ["a"]);
});

/** A pipeline of filters, each with one parameter. */
const filters = (...ids: number[]): Message => ({
  type: 0x0b,
  data: join(
    number(2, 1),
    number(ids.length, 1),
    ...ids.map((id) =>
      join(number(id, 2), number(0, id < 256 ? 0 : 2), number(0, 2), number(1, 2), number(1, 4))
    ),
  ),
});

/** A layout of version 3: chunks in a tree of one leaf, or below a node. */
function chunked(file: Hdf5Builder, chunks: readonly Uint8Array[], skipped = 0): Message {
  const tree = (level: number, children: readonly (readonly [number, number])[]) =>
    file.add(
      "TREE",
      number(1, 1),
      number(level, 1),
      number(children.length, 2),
      UNDEFINED,
      UNDEFINED,
      ...children.map(([size, child]) =>
        join(number(size, 4), number(skipped, 4), number(0, 16), number(child, 8))
      ),
      number(0, 24),
    );
  const leaves = chunks.map((it) => tree(0, [[it.length, file.add(it)]] as const));
  const root = tree(1, leaves.map((leaf) => [0, leaf] as const));
  return { type: 8, data: join(number(0x020203, 3), number(root, 8), number(4, 4), number(1, 4)) };
}

/** A layout of version 4: one chunk, or a fixed array of filtered ones. */
function indexed(file: Hdf5Builder, index: number, chunks: readonly Uint8Array[]): Message {
  const [first = new Uint8Array()] = chunks;
  const head = join(
    number(4, 1),
    number(2, 1),
    number(2, 1),
    number(2, 1),
    number(1, 1),
    number(0x0104, 2),
    number(index, 1),
  );
  if (index === 1) {
    const size = number(first.length, 8);
    return { type: 8, data: join(head, size, number(0, 4), number(file.add(first), 8)) };
  }
  const entries = chunks.map((it) =>
    join(number(file.add(it), 8), number(it.length, 2), number(0, 4))
  );
  const block = file.add("FADB", number(0, 1), number(1, 1), number(0, 8), ...entries);
  const array = join(number(0, 1), number(1, 1), number(14, 1), number(10, 1));
  const header = file.add("FAHD", array, number(chunks.length, 8), number(block, 8));
  return { type: 8, data: join(head, number(10, 1), number(header, 8)) };
}

Deno.test("evasion 73: pickles in the chunks of datasets are members, however they are found and packed", async (t) => {
  const content = new TextEncoder().encode(PAYLOAD);
  const halves = [content.subarray(0, 9), content.subarray(9)];
  const deflated = halves.map((it) => new Uint8Array(deflateSync(it)));
  const summed = deflated.map((it) => join(it, "sum!"));
  /** The first bytes of all pairs, then the second ones, then a byte that has none. */
  const shuffled = (bytes: Uint8Array) => {
    const pairs = bytes.subarray(0, bytes.length & ~1);
    const every = (second: number) => pairs.filter((_, at) => at % 2 === second);
    return join(every(0), every(1), bytes.subarray(pairs.length));
  };
  const PAIRS: Message = { type: 3, data: join(number(0x15, 4), number(2, 4)) };
  const shuffle: Message = {
    type: 0x0b,
    data: join(number(0x0102, 2), number(2, 2), number(0, 2), number(1, 2), number(2, 4)),
  };
  const table: [string, (file: Hdf5Builder) => Message[]][] = [
    ["chunks as they are", (file) => [BYTES, chunked(file, halves)]],
    ["deflated", (file) => [BYTES, filters(1), chunked(file, deflated)]],
    ["deflated, with a checksum", (file) => [BYTES, filters(2, 1, 3), chunked(file, summed)]],
    ["not filtered themselves", (file) => [BYTES, filters(1), chunked(file, halves, 1)]],
    ["zstd", (file) => [
      BYTES,
      filters(32015),
      chunked(file, halves.map((it) => new Uint8Array(zstdCompressSync(it)))),
    ]],
    ["shuffled", (file) => [PAIRS, shuffle, chunked(file, [shuffled(content)])]],
    ["a single chunk", (file) => [
      BYTES,
      filters(1),
      indexed(file, 1, [new Uint8Array(deflateSync(content))]),
    ]],
    ["a fixed array", (file) => [BYTES, filters(1), indexed(file, 3, deflated)]],
    ["beside other filters", (file) => [BYTES, filters(3), filters(1), chunked(file, deflated)]],
  ];
  for (const [name, messages] of table) {
    await t.step(name, () => {
      const file = new Hdf5Builder(2);
      const { members, checks } = scanModel(file.build(file.object(...messages(file))));
      const found = members.map(({ source }) => decoder.decode(source.read(0, 100)));
      assert.deepEqual(found, [PAYLOAD]);
      assert.deepEqual(failures(checks), []);
    });
  }
  const unread: [string, (file: Hdf5Builder) => Message[]][] = [
    ["an unknown filter", (file) => [BYTES, filters(32000), chunked(file, halves)]],
    ["an index that is not read", (file) => [BYTES, indexed(file, 5, halves)]],
  ];
  for (const [name, messages] of unread) {
    await t.step(`${name} is told`, () => {
      const file = new Hdf5Builder(2);
      const { members, checks } = scanModel(file.build(file.object(...messages(file))));
      assert.deepEqual(members, []);
      assert.equal(failures(checks, "HDF5 Structure")[0]?.incomplete, "hdf5_chunks");
    });
  }
  for (const type of [FLOATS, { type: 3, data: compound }]) {
    await t.step(
      "numbers of several bytes are not looked at, nor tables with an unknown filter",
      () => {
        const file = new Hdf5Builder(2);
        const { checks } = scanModel(
          file.build(file.object(type, filters(32000), chunked(file, halves))),
        );
        assert.equal(verdict(checks), "OK");
      },
    );
  }
});

Deno.test("evasion 73: datasets before a pickle in chunks do not hide it", async (t) => {
  const packed = (bytes: Uint8Array) => new Uint8Array(zstdCompressSync(bytes));
  const plain = packed(new Uint8Array(5000));
  const pickle = packed(new TextEncoder().encode(PAYLOAD));
  const after = (file: Hdf5Builder, before: number, chunk: Uint8Array, layoutBytes: number) => {
    const dataset = (it: Uint8Array) => {
      const layout = chunked(file, [it]);
      new DataView(layout.data.buffer).setUint32(11, layoutBytes, true);
      return file.object(BYTES, filters(32015), layout);
    };
    // What is linked last is read first.
    const all = [dataset(pickle), ...Array.from({ length: before }, () => dataset(chunk))];
    return file.build(file.object(...all.map((it, index) => hardLink(`d${index}`, it))));
  };
  await t.step("as many as are in a file of weights", () => {
    const file = new Hdf5Builder(2);
    const { members, checks } = scanModel(after(file, 300, plain, 5000));
    assert.equal(members.length, 1);
    assert.deepEqual(failures(checks), []);
  });
  await t.step("or it is told that they take too much", () => {
    const file = new Hdf5Builder(2);
    const bomb = packed(new Uint8Array(200 * 1024));
    const { members, checks } = scanModel(after(file, 20, bomb, 4));
    assert.deepEqual(members, []);
    assert.equal(failures(checks, "HDF5 Structure")[0]?.incomplete, "hdf5_chunks");
  });
});

Deno.test("C 16 a type that is in the heap of shared messages, or shared itself, is told as not read", () => {
  const file = new Hdf5Builder(2);
  const inHeap: Message = { type: 3, flags: 2, data: join(number(0x0103, 2), number(0, 8)) };
  const circle = file.object(inHeap);
  const circular: Message = { type: 3, flags: 2, data: join(number(0x0203, 2), number(circle, 8)) };
  for (const type of [inHeap, circular]) {
    const { checks } = scanModel(file.build(file.object(type, layout(file, PAYLOAD))));
    assert.equal(failures(checks, "HDF5 Structure")[0]?.incomplete, "hdf5_shared_message");
  }
});

Deno.test("C 16 plain pickles and texts in attributes are not members", () => {
  const file = new Hdf5Builder();
  const values = ["N.", "(lp0\nS'a'\np1\na.", "cmod\nis a text.", "regular", "", "CLASS"];
  const attributes = values.map((value, index) => file.fixedText(`a${index}`, value));
  const data = byteDataset(file, "\x00\x01\x02", false);
  const { members, checks } = scanModel(
    file.build(file.object(...attributes, hardLink("d", data))),
  );
  assert.deepEqual(members, []);
  assert.deepEqual(failures(checks), []);
});
