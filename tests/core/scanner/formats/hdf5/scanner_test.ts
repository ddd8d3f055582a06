import * as assert from "node:assert/strict";
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
