import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import * as v from "valibot";
import { pyTorchZipScanner } from "../../../../../core/scanner/formats/pytorch/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { SCAN_LIMITS } from "../../../../../core/scanner/contract/limits.ts";
import { scanFile } from "../../../../../core/scanner/engine/scan.ts";
import { zipScanner } from "../../../../../core/scanner/formats/zip/scanner.ts";
import { GETPID_PICKLE, scanArchive, scanMatching } from "../archive/archive_scan.ts";
import { zipBytes, zipOf, type ZipTestMember } from "../zip/zip_builder.ts";

const PICKLE: ZipTestMember = { name: "archive/data.pkl", data: zipBytes(0x80, 2, "}.") };
const VERSION: ZipTestMember = { name: "archive/version", data: "3\n" };
const ORDER: ZipTestMember = { name: "archive/byteorder", data: "little" };
/** Weights that contain bytes of programs, pickles and ZIP headers. */
const WEIGHTS = Buffer.concat([
  zipBytes("MZ", 0x80, 2, "cos\nPK", 3, 4, "PK", 5, 6),
  Buffer.alloc(400, "PK\x01\x02"),
]);
const STORAGE: ZipTestMember = { name: "archive/data/0", data: WEIGHTS };
const MODEL = [PICKLE, ORDER, STORAGE, VERSION];

/** A member as PyTorch writes it: aligned, with a data descriptor, and in ZIP64. */
function written(member: ZipTestMember): ZipTestMember {
  return {
    ...member,
    flags: 0x808,
    local: { crc: 0, packedSize: 0, size: 0, extra: zipBytes("FB", 20, 0, "Z".repeat(20)) },
    after: zipBytes("PK", 7, 8, "crc!", "size".repeat(4)),
  };
}

Deno.test("scanning 2.5: a PyTorch model passes every check, and every member is scanned", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["as zipped by others", zipOf(MODEL)],
    ["as PyTorch writes it", zipOf(MODEL.map(written), { zip64: {} })],
    ["TorchScript", zipOf([...MODEL, { name: "archive/constants.pkl", data: "" }])],
    [
      "with a serialization id",
      zipOf([...MODEL, { name: "archive/.data/serialization_id", data: "1" }]),
    ],
  ];
  for (const [title, archive] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(pyTorchZipScanner, archive);
      assert.deepEqual(scan.checks.filter(({ status }) => status !== "passed"), []);
      assert.equal(scan.checks.length, 17);
      assert.ok(
        ["archive/data.pkl", "archive/data/0", "archive/version"].every((name) =>
          scan.texts.has(name)
        ),
      );
      assert.equal(scan.facts.storage_count, 1);
      assert.equal(scan.facts.storage_bytes, WEIGHTS.length);
    });
  }
});

Deno.test("scanning 2.5: an archive matches exactly one of the two scanners", async (t) => {
  const rows: [string, string, ZipTestMember[], boolean][] = [
    ["a model", "model.bin", MODEL, true],
    ["a model of another folder", "model.bin", [{ ...PICKLE, name: "my model/data.pkl" }], true],
    ["TorchScript of old", "model.bin", [{ ...PICKLE, name: "m/attributes.pkl" }], true],
    ["without its pickle, by its name", "model.PT", [STORAGE, VERSION], true],
    ["a pickle without a folder", "model.bin", [{ ...PICKLE, name: "data.pkl" }], false],
    ["a pickle too deep", "model.bin", [{ ...PICKLE, name: "a/b/data.pkl" }], false],
    ["another archive", "model.npz", [{ name: "x.npy", data: "" }], false],
  ];
  for (const [title, name, members, isModel] of rows) {
    await t.step(title, () => {
      const archive = zipOf(members);
      assert.equal(scanArchive(pyTorchZipScanner, archive, { name }) !== undefined, isModel);
      assert.equal(scanArchive(zipScanner, archive, { name }) !== undefined, !isModel);
    });
  }
});

Deno.test("scanning 2.5: reports members that do not belong in a model", async (t) => {
  const program = "PyTorch Executable Entry";
  const rows: [string, ZipTestMember[], string[], string?][] = [
    [
      "evasion 42: a payload among the storages, beside a decoy",
      [...MODEL, { name: "archive/data/1", data: GETPID_PICKLE }],
      [],
      "archive/data/1",
    ],
    [
      "evasion 42: a payload of any name",
      [...MODEL, { name: "extra.txt", data: GETPID_PICKLE, method: 8 }],
      [],
      "extra.txt",
    ],
    [
      "evasion 38: flags on the pickle",
      [{ ...PICKLE, data: GETPID_PICKLE, flags: 0x61 }, VERSION],
      [
        "warning S902 Archive Entry Header",
      ],
      "archive/data.pkl",
    ],
    ["evasion 43: two pickles", [{ ...PICKLE, data: GETPID_PICKLE }, PICKLE, VERSION], [
      "warning S902 Archive Duplicate Entry",
    ], "archive/data.pkl"],
    ["a link", [...MODEL, { name: "archive/x", data: "version", mode: 0o120777 }], [
      "warning S406 PyTorch Archive Link",
    ]],
    ["code of TorchScript", [...MODEL, { name: "archive/code/__torch__/m.py", data: "pass" }], [
      "info S510 TorchScript Code",
    ]],
    ["a Windows program", [...MODEL, { name: "archive/x.EXE", data: "MZ" }], [
      `critical S501 ${program}`,
    ]],
    ["a library", [...MODEL, { name: "archive/x.so", data: "" }], [`critical S502 ${program}`]],
    ["a shell script", [...MODEL, { name: "archive/x.sh", data: "" }], [
      `critical S504 ${program}`,
    ]],
  ];
  for (const [title, members, findings, name] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(pyTorchZipScanner, zipOf(members));
      assert.deepEqual([...scan.findings], findings);
      const isPayload = (offer: { name: string; content: Uint8Array }) =>
        offer.name === name && Buffer.from(GETPID_PICKLE).equals(offer.content);
      if (name) assert.ok(scan.submitted.some(isPayload), "the payload is submitted");
    });
  }
});

Deno.test("scanning 2.5: reports a model without data.pkl, and scans its members", () => {
  const scan = scanMatching(pyTorchZipScanner, zipOf([STORAGE, VERSION]), { name: "model.pt" });
  assert.deepEqual(scan.findings, ["info S902 PyTorch Archive Layout"]);
  assert.equal(scan.submitted.length, 2);
});

/** A pickle that references storages by key, class and number of elements. */
function referencing(...storages: [key: string, type: string, elements: number][]): Uint8Array {
  const text = (value: string) => zipBytes("X", value.length, 0, 0, 0, value);
  const asked = storages.map(([key, type, elements]) =>
    Buffer.concat([
      zipBytes("("),
      text("storage"),
      zipBytes(`ctorch\n${type}\n`),
      text(key),
      text("cpu"),
      zipBytes("J", ...Buffer.from(Int32Array.of(elements).buffer), "tQ"),
    ])
  );
  return Buffer.concat([zipBytes(0x80, 2, "("), ...asked, zipBytes("t.")]);
}

Deno.test("scanning 2.5: a storage counts as weights only if the pickle declares it with its exact size", async (t) => {
  const payload = Buffer.from(GETPID_PICKLE);
  const { length } = payload;
  const rows: [string, ZipTestMember[], { offered: boolean; warned: boolean }][] = [
    ["just as large", [
      { ...PICKLE, data: referencing(["0", "ByteStorage", length]) },
      { ...STORAGE, data: payload },
    ], { offered: false, warned: false }],
    ["larger", [
      { ...PICKLE, data: referencing(["0", "ByteStorage", length - 1]) },
      { ...STORAGE, data: payload },
    ], { offered: true, warned: true }],
    ["too short, so loaders read past its end", [
      { ...PICKLE, data: referencing(["0", "FloatStorage", length]) },
      { ...STORAGE, data: payload },
    ], { offered: true, warned: true }],
    ["of an unknown class", [
      { ...PICKLE, data: referencing(["0", "OddStorage", length]) },
      { ...STORAGE, data: payload },
    ], { offered: true, warned: false }],
    ["that is not referenced", [
      { ...PICKLE, data: referencing(["1", "ByteStorage", length]) },
      { ...STORAGE, data: payload },
    ], { offered: true, warned: false }],
    ["that one of two pickles references", [
      { ...PICKLE, data: referencing(["0", "ByteStorage", length]) },
      { ...STORAGE, data: payload },
      PICKLE,
    ], { offered: true, warned: false }],
  ];
  for (const [title, members, { offered, warned }] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(pyTorchZipScanner, zipOf(members));
      assert.equal(scan.texts.has("archive/data/0"), offered);
      const failed = scan.checks.filter(({ name, status }) =>
        name === "PyTorch Storage Size" && status === "failed"
      );
      assert.equal(failed.length > 0, warned);
    });
  }
});

Deno.test("evasion 40: the checksum of large weights follows from those of the blocks of the file", async (t) => {
  const weights = Buffer.alloc(5 * 2 ** 20 + 77, "weights ");
  const archive = zipOf([
    { ...PICKLE, data: referencing(["0", "ByteStorage", weights.length]) },
    { ...STORAGE, data: weights },
  ]);
  const damaged = Uint8Array.from(archive);
  damaged[3 * 2 ** 20] = 0xff;
  for (const [title, bytes, findings] of [["right", archive, 0], ["wrong", damaged, 1]] as const) {
    await t.step(title, () => {
      const result = scanFile({
        source: memorySource(bytes),
        name: "model.pt",
        scanners: [pyTorchZipScanner],
        limits: SCAN_LIMITS,
      });
      const failed = result.checks.filter(({ name, status }) =>
        name === "Archive Entry Checksum" && status === "failed"
      );
      assert.equal(failed.length, findings);
      const { member_file_hashes: records } = result.metadata;
      assert.deepEqual(hashStatus(records, "archive/data/0"), [2 ** 20, "prefix"]);
    });
  }
});

function hashStatus(records: unknown, path: string): unknown[] {
  const record = v.parse(v.record(v.string(), v.looseObject({})), records)[path];
  return [record?.bytes_hashed, record?.hash_status];
}
