import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { zstdCompressSync } from "node:zlib";
import { zipScanner } from "../../../../../core/scanner/formats/zip/scanner.ts";
import type { ByteSource } from "../../../../../core/scanner/contract/source.ts";
import { GETPID_PICKLE, scanArchive, scanMatching } from "../archive/archive_scan.ts";
import { seeded } from "../../mutation.ts";
import { LIMITS } from "../../recording_context.ts";
import { type ArchiveOptions, zipBytes, zipOf, type ZipTestMember } from "./zip_builder.ts";

const CLEAN: ZipTestMember = { name: "clean.txt", data: "nothing to see" };
const CLEAN2: ZipTestMember = { ...CLEAN, name: "clean too.txt" };
const EVIL: ZipTestMember = { name: "evil.dat", data: GETPID_PICKLE };
const HEADER = "warning S902 Archive Entry Header";

Deno.test("scanning 2.7: a valid archive passes every check and every member is scanned", async (t) => {
  const members = [CLEAN, { ...EVIL, method: 8 }, { name: "folder/", data: "" }];
  const streamed = { ...EVIL, method: 8, flags: 8, local: { crc: 0, packedSize: 0, size: 0 } };
  const rows: [string, Uint8Array][] = [
    ["stored and deflated members", zipOf(members)],
    ["with a comment", zipOf(members, { comment: zipBytes("a comment") })],
    ["with ZIP64 records", zipOf(members, { zip64: {} })],
    [
      "with a ZIP64 record as long as its first entry",
      zipOf([{ ...CLEAN, name: "a folder/of some length/x.txt".padEnd(30, "t") }, ...members], {
        zip64: {},
      }),
    ],
    [
      "with ZIP64 values only",
      zipOf(members, {
        zip64: {},
        end: { entries: 0xffff, size: 0xffffffff, offset: 0xffffffff },
      }),
    ],
    [
      "with a data descriptor",
      zipOf([CLEAN, { ...streamed, after: zipBytes("PK\x07\x08", ..."descriptor!!") }]),
    ],
    ["with a nested archive last", zipOf([CLEAN, EVIL, { name: "in.zip", data: zipOf([CLEAN]) }])],
    ["with padding", zipOf([{ ...CLEAN, after: new Uint8Array(50) }, EVIL])],
  ];
  for (const [title, archive] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(zipScanner, archive);
      assert.deepEqual(scan.checks.filter(({ status }) => status !== "passed"), []);
      assert.equal(scan.checks.length, 12);
      assert.deepEqual(scan.texts.get("evil.dat"), "cos\ngetpid\n)R.");
      assert.deepEqual(scan.texts.get("clean.txt"), "nothing to see");
    });
  }
});

Deno.test("scanning 2.7: does not match content that is not an archive", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["nothing", zipBytes()],
    ["one byte", zipBytes("P")],
    ["a signature alone", zipBytes("PK\x03\x04")],
    [
      "an end record without a directory",
      zipBytes("weights", "PK\x05\x06", new Array(18).fill("\x01").join("")),
    ],
    ["text", zipBytes("PKWARE made the format")],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => assert.equal(scanArchive(zipScanner, content), undefined));
  }
});

Deno.test("scanning 2.7: reports faults of an archive and scans what they hide", async (t) => {
  const nested = zipOf([{ name: "a/data.pkl", data: GETPID_PICKLE }]);
  const rows: [string, Uint8Array, string[], string[], string?][] = [
    ...[0x1, 0x20, 0x40].map((flags): [string, Uint8Array, string[], string[]] => [
      `evasion 38: flag bit ${flags}`,
      zipOf([{ ...EVIL, flags }]),
      [HEADER],
      [],
    ]),
    ["evasion 38: flag bit in the local header only", zipOf([{ ...EVIL, local: { flags: 1 } }]), [
      HEADER,
    ], []],
    ["evasion 38: flag bit, deflated", zipOf([{ ...EVIL, flags: 1, method: 8 }]), [HEADER], []],
    [
      "evasion 39: a different local name",
      zipOf([{ ...EVIL, local: { name: "good.dat" } }]),
      [HEADER],
      [],
    ],
    [
      "evasion 40: a wrong checksum",
      zipOf([{ ...EVIL, local: { crc: 1 }, central: { crc: 1 } }]),
      ["warning S902 Archive Entry Checksum"],
      [],
    ],
    [
      "evasion 41: the first member is corrupt",
      zipOf([{ ...CLEAN, local: { signature: 0xdeadbeef } }, EVIL]),
      [HEADER],
      ["local_header_missing"],
    ],
    [
      "evasion 41: the stream of the first member is corrupt",
      zipOf([{ ...CLEAN, method: 8, packed: zipBytes(0xff, 0xff, 0xff) }, EVIL]),
      ["info S902 Archive Entry Content"],
      ["corrupt_stream"],
    ],
    ["evasion 46: a nested archive", zipOf([{ name: "evil.dat", data: nested }]), [], []],
    [
      "a member missing from the directory",
      zipOf([CLEAN, { ...EVIL, unlisted: true }]),
      ["warning S902 Archive Unlisted Entries"],
      [],
    ],
    [
      "a deflated member missing from the directory",
      zipOf([CLEAN, { ...EVIL, method: 8, unlisted: true }]),
      ["warning S902 Archive Unlisted Entries"],
      [],
    ],
    [
      "no directory",
      zipOf([CLEAN, { ...EVIL, method: 8 }]).subarray(0, 110),
      ["info S902 Archive Directory"],
      ["no_central_directory"],
    ],
    [
      "declared sizes of zero",
      zipOf([{ ...EVIL, method: 8, local: { size: 0 }, central: { size: 0 } }]),
      ["warning S904 Archive Entry Header"],
      [],
    ],
    [
      "a local header with a different method",
      zipOf([{ ...EVIL, method: 8, central: { method: 0 } }]),
      [HEADER, "warning S904 Archive Entry Header", "warning S902 Archive Entry Checksum"],
      [],
    ],
    ["an unsupported method", zipOf([{ ...EVIL, method: 98 }]), [
      "info S902 Archive Entry Content",
    ], ["unsupported_compression"]],
    [
      "encrypted content",
      zipOf([{ ...EVIL, flags: 1, packed: Buffer.from(GETPID_PICKLE).reverse() }]),
      [HEADER, "warning S604 Archive Entry Content"],
      ["encrypted_member"],
    ],
  ];
  for (const [title, archive, findings, reasons] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(zipScanner, archive);
      assert.deepEqual([...scan.findings], findings);
      assert.deepEqual(scan.reasons, reasons);
      const expected = title.includes("46") ? nested : GETPID_PICKLE;
      if (!/unsupported|encrypted/.test(title)) {
        const found = scan.submitted.some(({ name, content }) =>
          name === "evil.dat" && Buffer.from(expected).equals(content)
        );
        assert.ok(found, "the payload is submitted");
      }
    });
  }
});

Deno.test("scanning 2.7: reports and scans data outside the members", async (t) => {
  const foreign = "warning S908 Archive Foreign Data";
  const twice = "warning S902 Archive Directory";
  const evil = zipOf([EVIL]);
  const rows: [string, Uint8Array, string[], string?][] = [
    [
      "evasion 44: a pickle before the archive",
      zipOf([CLEAN], { prefix: GETPID_PICKLE }),
      [foreign],
      "(bytes from 0)",
    ],
    [
      "evasion 44: offsets relative to the start of the file",
      Buffer.concat([
        GETPID_PICKLE,
        zipOf([{ ...CLEAN, central: { offset: GETPID_PICKLE.length } }], {
          end: { offset: 44 + 9 + GETPID_PICKLE.length },
        }),
      ]),
      [foreign],
      "(bytes from 0)",
    ],
    [
      "a prefix that ZIP64 records do not account for",
      zipOf([CLEAN], { prefix: GETPID_PICKLE, zip64: {} }),
      [foreign],
      "(bytes from 0)",
    ],
    ["data after the end", zipOf([CLEAN], { suffix: GETPID_PICKLE }), [foreign], undefined],
    [
      "data between members",
      zipOf([{ ...CLEAN, after: GETPID_PICKLE }, CLEAN2]),
      [foreign],
      undefined,
    ],
    ["an archive after the archive", Buffer.concat([evil, zipOf([CLEAN])]), [
      twice,
    ], "evil.dat"],
    ["an archive in the comment", zipOf([CLEAN], { comment: evil }), [
      twice,
      "warning S410 Archive Overlapping Entries",
    ], "evil.dat"],
  ];
  for (const [title, archive, findings, name] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(zipScanner, archive);
      assert.deepEqual([...scan.findings], findings);
      const found = scan.submitted.some((member) =>
        (name === undefined || member.name === name) &&
        Buffer.from(GETPID_PICKLE).equals(member.content)
      );
      assert.ok(found, "the payload is submitted");
    });
  }
});

Deno.test("scanning 2.7: reports names and links that leave the archive", async (t) => {
  const path = "critical S405 Archive Entry Path";
  const symlink = { mode: 0o120777 };
  const rows: [string, Partial<ZipTestMember>, string[]][] = [
    ["evasion 47: parent folders", { name: "../x" }, [path]],
    ["evasion 47: a drive letter", { name: "C:\\x" }, [path]],
    ["evasion 47: parent folders with backslashes", { name: "a/..\\..\\x" }, [path]],
    ["an absolute name", { name: "/etc/passwd" }, [path]],
    ["a network name", { name: "\\\\host\\share" }, [path]],
    ["a name with a NUL", { name: "x.pkl\0.txt" }, ["warning S405 Archive Entry Path"]],
    ["a Unicode path field that leaves the archive", {
      central: { extra: zipBytes("\x75\x70\x08\0\x01\0\0\0\0../") },
    }, [path]],
    ["parent folders that stay inside", { name: "a/b/../../x" }, []],
    ["two dots in a name", { name: "a/..x/b..c" }, []],
    ["evasion 48: a link to a system file", { ...symlink, data: "/etc/passwd" }, [
      "critical S408 Archive Link",
    ]],
    ["evasion 48: a relative link to a system file", { ...symlink, data: "../../etc/passwd" }, [
      "critical S408 Archive Link",
    ]],
    ["evasion 48: a link outside the archive", { ...symlink, data: "../x" }, [
      "critical S406 Archive Link",
    ]],
    ["a link inside the archive", { ...symlink, name: "a/b", data: "../c" }, []],
  ];
  for (const [title, member, findings] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(zipScanner, zipOf([{ ...CLEAN, ...member }, CLEAN2]));
      assert.deepEqual([...scan.findings], findings);
      assert.equal(scan.submitted.length, 2);
    });
  }
});

Deno.test("evasion 43: reports a duplicate name and scans both members", async (t) => {
  for (const contents of [[GETPID_PICKLE, "good"], ["good", GETPID_PICKLE]]) {
    await t.step(String(contents[0]), () => {
      const scan = scanMatching(zipScanner, zipOf(contents.map((data) => ({ name: "x", data }))));
      assert.deepEqual([...scan.findings], ["warning S902 Archive Duplicate Entry"]);
      assert.deepEqual(scan.submitted.map(({ content }) => content.length).sort(), [
        GETPID_PICKLE.length,
        4,
      ]);
    });
  }
});

Deno.test("evasion 49: reports a zip bomb and scans its start", async (t) => {
  const limits = { ...LIMITS, maxMemberBytes: 1 << 20, maxUnpackedBytes: 3 << 20 };
  const zeros = new Uint8Array(4 << 20);
  const ratio = "warning S410 Archive Compression Ratio";
  const rows: [string, ZipTestMember[], string[], number][] = [
    ["with its real size", [{ name: "x", data: zeros, method: 8 }], [
      ratio,
      "info S410 Archive Entry Content",
    ], 1],
    [
      "that declares a small size",
      [{ name: "x", data: zeros, method: 8, central: { size: 10 }, local: { size: 10 } }],
      ["info S410 Archive Entry Content"],
      1,
    ],
    [
      "in several members",
      [1, 2, 3, 4, 5].map((n) => ({ name: `${n}`, data: zeros.subarray(0, 1 << 20), method: 8 })),
      [ratio, "info S410 Archive Entry Content"],
      5,
    ],
  ];
  for (const [title, members, findings, submitted] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(zipScanner, zipOf(members), { limits });
      assert.deepEqual([...scan.findings], findings);
      assert.deepEqual(scan.reasons, ["unpacked_limit"]);
      assert.equal(scan.submitted.length, submitted);
      const unpacked = scan.submitted.reduce((total, { content }) => total + content.length, 0);
      assert.ok(unpacked > 1 << 19 && unpacked <= 3 << 20, `${unpacked} bytes are unpacked`);
    });
  }
});

Deno.test("scanning 2.7: reports overlapping members and reads them within the limit", () => {
  const data = new Uint8Array(1 << 20).fill(7);
  const shared = Array.from({ length: 20 }, (_, n): ZipTestMember => ({
    name: `${n}`,
    data: "",
    central: { offset: 0, size: data.length, packedSize: data.length },
  }));
  const archive = zipOf([{ name: "x", data }, ...shared]);
  const scan = scanMatching(zipScanner, archive, {
    limits: { ...LIMITS, maxUnpackedBytes: 5 << 20 },
  });
  assert.ok(scan.findings.includes("warning S410 Archive Overlapping Entries"));
  assert.deepEqual(scan.reasons, ["unpacked_limit"]);
  assert.equal(scan.submitted.filter(({ content }) => content.length > 0).length, 6);
});

Deno.test("scanning 2.7: reports a directory that contradicts itself", async (t) => {
  const rows: [string, ArchiveOptions, string[], string[]][] = [
    [
      "evasion: ten million missing entries",
      {
        zip64: { entries: 10_000_000n, size: 460_000_000n },
        end: { entries: 0xffff, size: 0xffffffff, offset: 0xffffffff },
      },
      ["warning S902 Archive Entry Count"],
      ["corrupt_directory"],
    ],
    [
      "fewer declared entries than actual ones",
      { end: { entries: 1 } },
      ["warning S902 Archive Entry Count"],
      [],
    ],
    [
      "a ZIP64 record that disagrees",
      { zip64: { size: 1n } },
      ["warning S902 Archive Directory"],
      [],
    ],
    [
      "a ZIP64 record beyond the end of any file",
      { zip64: { offset: 1n << 63n } },
      ["warning S902 Archive Directory", "warning S908 Archive Foreign Data"],
      ["zip64_end_record_missing"],
    ],
  ];
  for (const [title, around, findings, reasons] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(zipScanner, zipOf([CLEAN, EVIL], around));
      assert.deepEqual([...scan.findings], findings);
      assert.deepEqual(scan.reasons, reasons);
      assert.ok(scan.texts.has("evil.dat"));
    });
  }
});

Deno.test("scanning 2.7: reports entries beyond the limit and does not scan them", () => {
  const members = Array.from({ length: 50 }, (_, n) => ({ name: `${n}`, data: "x" }));
  const scan = scanMatching(zipScanner, zipOf(members), { limits: { ...LIMITS, maxMembers: 20 } });
  assert.deepEqual(scan.findings.slice(0, 1), ["warning S410 Archive Entry Count"]);
  assert.ok(scan.reasons.includes("too_many_entries"));
  assert.equal(scan.submitted.length, 20);
});

Deno.test("SR 2.2: an asset lists members up to a limit", () => {
  const members = Array.from({ length: 2500 }, (_, n) => ({ name: `${n}`, data: "abc" }));
  const scan = scanMatching(zipScanner, zipOf(members));
  assert.equal(scan.contents?.length, 2000);
  assert.deepEqual(scan.contents?.[7], { name: "7", size: 3, compressed_size: 3 });
  assert.equal(scan.facts.archive_entries, 2500);
});

Deno.test("SR 2.7: records member hashes in the metadata of the file", async (t) => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  await t.step("complete hashes, with a separate key for each duplicate name", () => {
    const archive = zipOf([{ name: "x", data: "abc", method: 8 }, { name: "x", data: "abc" }]);
    const { facts } = scanMatching(zipScanner, archive, { name: "in.zip", depth: 1 });
    const record = {
      file_size: 3,
      bytes_hashed: 3,
      hash_complete: true,
      hash_status: "complete",
      file_hashes: { sha256: abc },
      scanner_name: "zip",
      logical_path: "in.zip:x",
      path_segments: ["in.zip", "x"],
    };
    assert.deepEqual(facts.member_file_hashes, {
      "in.zip:x": { ...record, occurrence: 1 },
      "in.zip:x#2": { ...record, occurrence: 2 },
    });
    assert.equal(facts.member_file_hashes_total, 2);
    assert.equal(facts.member_file_hashes_truncated, undefined);
  });
  await t.step("hashes of the first bytes of large members", () => {
    const archive = zipOf([{ name: "__proto__", data: new Uint8Array(3) }]);
    const limits = { ...LIMITS, maxMemberBytes: 2 };
    const { facts } = scanMatching(zipScanner, archive, { limits });
    assert.match(
      JSON.stringify(facts.member_file_hashes),
      /"__proto__":{"file_size":3,"bytes_hashed":2,"hash_complete":false,"hash_status":"prefix","sha256_prefix":"96a296d2/,
    );
  });
  await t.step("up to a limit", () => {
    const members = Array.from({ length: 1003 }, (_, n) => ({ name: `${n}`, data: "abc" }));
    const { facts } = scanMatching(zipScanner, zipOf(members));
    assert.equal(Object.keys(Object(facts.member_file_hashes)).length, 1000);
    assert.equal(facts.member_file_hashes_total, 1003);
    assert.equal(facts.member_file_hashes_truncated, true);
    assert.equal(facts.member_file_hashes_omitted, 3);
  });
});

Deno.test("scanning 2.7: unpacks members compressed with Zstandard", () => {
  const scan = scanMatching(
    zipScanner,
    zipOf([{ ...EVIL, method: 93, packed: zstdCompressSync(GETPID_PICKLE) }]),
  );
  assert.deepEqual(scan.findings, []);
  assert.equal(scan.texts.get("evil.dat"), "cos\ngetpid\n)R.");
});

Deno.test("scanning 2.7: limits the number of reported findings", () => {
  const members = Array.from({ length: 500 }, (_, n) => ({ name: `../${n}`, data: "x" }));
  const scan = scanMatching(zipScanner, zipOf(members));
  const failed = scan.checks.filter(({ status }) => status === "failed");
  assert.equal(failed.length, 51);
  assert.equal(failed.at(-1)?.severity, "critical");
  assert.match(failed.at(-1)?.message ?? "", /^450 more of this kind$/);
});

Deno.test("scanning 2.7: reports the tail of a directory as another one if it leads to other members", () => {
  const first = { ...CLEAN, name: "first".padEnd(30, ".") };
  const hidden = zipOf([EVIL]).slice(0, 30 + EVIL.name.length + GETPID_PICKLE.length);
  const second = { ...CLEAN, name: "second", data: "as ever".padEnd(76 - 36) };
  const archive = zipOf([first, { ...second, after: hidden }], { zip64: {} });
  const { checks } = scanMatching(zipScanner, archive);
  assert.ok(checks.some(({ name, status }) => name === "Archive Directory" && status === "failed"));
});

Deno.test("C 15: no input makes a scan throw or read without limit", () => {
  const archives = [
    zipOf([CLEAN, { ...EVIL, method: 8 }, { name: "in.zip", data: zipOf([CLEAN]) }]),
    zipOf([CLEAN, { ...EVIL, method: 8 }], {
      zip64: {},
      prefix: GETPID_PICKLE,
      comment: zipBytes("hi"),
    }),
    zipOf([{ ...EVIL, method: 93, packed: zstdCompressSync(GETPID_PICKLE) }, {
      ...CLEAN,
      mode: 0o120777,
    }]),
  ];
  const limits = { ...LIMITS, maxMemberBytes: 1 << 16, maxUnpackedBytes: 1 << 18, maxMembers: 100 };
  const random = seeded(20_260);
  let matched = 0;
  for (let round = 0; round < 6000; round++) {
    const archive = mutated(archives[round % archives.length] ?? zipBytes(), random);
    let read = 0;
    const content: ByteSource = {
      size: archive.length,
      read(offset, length) {
        assert.ok(
          Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length) &&
            length >= 0,
        );
        read += Math.min(length, Math.max(0, archive.length - offset));
        return archive.subarray(offset, offset + length);
      },
    };
    const scan = scanArchive(zipScanner, archive, { limits, content });
    assert.ok(read < 3_000_000, `round ${round} reads ${read} bytes`);
    if (scan) matched++;
  }
  assert.ok(matched > 3000, `${matched} match`);
});

function mutated(archive: Uint8Array, random: (below: number) => number): Uint8Array {
  const copy = Buffer.from(archive);
  const values = [0, 1, 0x7f, 0x80, 0xff, 0x50, 8];
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(copy.length - 4);
    const length = random(3) === 0 ? 4 : 1;
    copy.fill(random(2) ? values[random(values.length)] ?? 0 : random(256), at, at + length);
  }
  if (random(5) === 0) copy.copy(copy, random(copy.length), random(copy.length));
  return random(5) === 0 ? copy.subarray(0, random(copy.length)) : copy;
}
