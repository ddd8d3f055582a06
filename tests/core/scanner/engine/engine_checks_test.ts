import * as assert from "node:assert/strict";
import { checksNamed, emitting, PASSED, PICKLE, scan, scanner, source } from "./fake_scanners.ts";

Deno.test("C 16 content that no scanner matches has a skipped check", async (t) => {
  const never = scanner("never", function* () {}, () => false);
  const rows: [string, string, string, string[]][] = [
    ["an empty file", "", "unknown", []],
    ["one byte", "\x80", "unknown", []],
    ["a text", "hello", "unknown", []],
    ["a program", "\x7fELF", "elf", []],
    ["evasion 45: a 7z archive, which hides its members", "7z\xbc\xaf'\x1c", "7z", [
      "unsupported_format",
    ]],
    ["a pickle", PICKLE, "pickle", ["unsupported_format"]],
  ];
  for (const [title, content, type, inconclusive] of rows) {
    await t.step(title, () => {
      const result = scan(content, [never], { name: "file.xyz" });
      assert.deepEqual(result.checks.map(({ name, status, scanner }) => [name, status, scanner]), [
        ["Known Format", "skipped", "file"],
      ]);
      assert.equal(result.asset.type, type);
      assert.deepEqual(result.inconclusive, inconclusive);
      assert.deepEqual(result.scanners, []);
      assert.equal(result.operationalError, undefined);
    });
  }
});

Deno.test("C 31 what nothing recognizes is said under a name that loaders of models open", async (t) => {
  const never = scanner("never", function* () {}, () => false);
  const names = [
    ...[
      "m.bin",
      "m.pt",
      "M.PTH",
      "m.ckpt",
      "m.p",
      "m.pkl",
      "m.sav",
      "m.dat",
      "m.model",
      "m.weights",
    ],
    ...["m.joblib", "m.npy", "m.h5", "m.safetensors", "a.b.bin"],
  ];
  for (const name of names) {
    await t.step(name, () => {
      const { checks, inconclusive } = scan("hello", [never], { name });
      const found = checks.filter((it) => it.name === "Known Format");
      assert.deepEqual(found.map((it) => [it.status, it.severity, it.ruleCode, it.message]), [
        ["failed", "info", "S903", "Not recognized: the file could not be checked"],
      ]);
      assert.deepEqual(inconclusive, []);
    });
  }
  for (const name of ["a.txt", "bin", ".bin", "a.bin.xyz", "m.png"]) {
    await t.step(`not ${name}`, () => {
      const [check] = checksNamed(scan("hello", [never], { name }), "Known Format");
      assert.equal(check?.status, "skipped");
    });
  }
  await t.step("nor an empty one", () => {
    const [check] = checksNamed(scan("", [never], { name: "m.bin" }), "Known Format");
    assert.deepEqual([check?.status, check?.message], [
      "skipped",
      "Not scanned: the file is empty",
    ]);
  });
});

Deno.test("evasion 37: content that does not match its name", async (t) => {
  const zip = "PK\x03\x04";
  const tar = "\0".repeat(257) + "ustar\0";
  const pe = `MZ${"\0".repeat(58)}\x40\0\0\0PE\0\0`;
  const safetensors = `\x80\x02q\0\0\0\0\0{"a":1}${" ".repeat(0x710280)}`;
  const rows: [string, string, string | undefined][] = [
    ["a.safetensors", PICKLE, "pickle"],
    ["a.safetensors", zip, "zip"],
    ["a.SafeTensors", PICKLE, "pickle"],
    ["model.gguf", "\x1f\x8b\x08", "gzip"],
    ["a.npy", PICKLE, "pickle"],
    ["a.onnx", "7z\xbc\xaf'\x1c", "7z"],
    ["a.h5", zip, "zip"],
    ["a.keras", PICKLE, "pickle"],
    ["a.pt", "\x7fELF", "elf"],
    ["a.bin", pe, "pe"],
    ["a.pkl", "#!/bin/sh\n", "script"],
    ["a.pkl", "Rar!\x1a\x07", "rar"],
    ["a.txt", PICKLE, "pickle"],
    ["config.json", zip, "zip"],
    ["a.pt", "BZh91AY&SY", "bzip2"],
    ["a.safetensors", "\x80\x04X\x02\0\0\0a{.", "pickle"],
    ["a.pt", PICKLE, undefined],
    ["a.bin", zip, undefined],
    ["a.ckpt", tar, undefined],
    ["a.npz", zip, undefined],
    ["a.keras", zip, undefined],
    ["a.mar", zip, undefined],
    ["a.joblib", PICKLE, undefined],
    ["a.joblib", "x\x9c\x01", undefined],
    ["a.pkl", "\xfd7zXZ\0", undefined],
    ["a.nemo", tar, undefined],
    ["a.sh.txt", "#!/bin/sh\n", undefined],
    ["a.bin", "MZ only two letters", undefined],
    ["a.safetensors", "\x80\x02\0\0\0\0\0\0{}", undefined],
    ["a.safetensors", safetensors, undefined],
    ["a.onnx", "\x08\x07", undefined],
    ["a.gguf", "", undefined],
    ["a.gguf", "\x80", undefined],
    ["a.gguf", "\x80\x04", undefined],
  ];
  for (const [name, content, actual] of rows) {
    await t.step(`${name} ${actual ?? "passes"} ${JSON.stringify(content.slice(0, 8))}`, () => {
      const [check] = checksNamed(scan(content, [], { name }), "File Type");
      assert.equal(check?.status, actual === undefined ? "passed" : "failed");
      if (actual === undefined) return;
      assert.deepEqual([check.ruleCode, check.severity], ["S901", "warning"]);
      assert.deepEqual(check.details, { actual });
    });
  }
  await t.step("does not check a name that implies no format", () => {
    for (const name of ["a", "a.dat", ".txt", "a.pkl.gz", "pkl", "a.pt/b"]) {
      assert.deepEqual(checksNamed(scan(PICKLE, [], { name }), "File Type"), [], name);
    }
  });
  await t.step("recognizes a pickle without a signature if its scanner matches", () => {
    const result = scan("cos\n", [emitting("pickle", PASSED)], { name: "a.onnx" });
    assert.equal(checksNamed(result, "File Type")[0]?.status, "failed");
  });
  await t.step("checks members", () => {
    const outer = scanner("zip", function* (content, context) {
      if (content.depth === 0) context.scanMember("deep/a.gguf", source(PICKLE));
      yield PASSED;
    });
    const [check] = checksNamed(scan(zip, [outer], { name: "a.zip" }), "File Type");
    assert.equal(check?.location, ":deep/a.gguf");
    assert.match(check.message, /^a\.gguf has content of another format: pickle$/);
  });
});
