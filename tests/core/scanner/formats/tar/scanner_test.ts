import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { tarScanner } from "../../../../../core/scanner/formats/tar/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { GETPID_PICKLE, scanArchive, scanMatching } from "../archive/archive_scan.ts";
import { seeded } from "../../mutation.ts";
import { LIMITS } from "../../recording_context.ts";
import { type Entry, member, tarOf } from "./tar_builder.ts";

const EVIL: Entry = { name: "evil", data: GETPID_PICKLE };
const CLEAN: Entry = { name: "clean", data: "nothing to see" };
const EVIL_TEXT = "cos\ngetpid\n)R.";

Deno.test("scanning 2.7: a valid TAR archive passes every check and every member is scanned", async (t) => {
  const long = "deep/".repeat(60) + "evil";
  const pax = `${`path=${long}\n`.length + 4} path=${long}\n`;
  const rows: [string, Buffer, string][] = [
    ["ustar", tarOf([CLEAN, EVIL]), "evil"],
    ["without signatures", tarOf([CLEAN, EVIL].map((entry) => ({ ...entry, old: true }))), "evil"],
    ["without end blocks", tarOf([CLEAN, EVIL], 0), "evil"],
    ["GNU long name", tarOf([{ name: "././@LongLink", type: "L", data: `${long}\0` }, EVIL]), long],
    ["pax name", tarOf([{ name: "pax", type: "x", data: pax }, EVIL]), long],
    [
      "size in base 256",
      tarOf([{
        ...EVIL,
        size: "\x80" + "\0".repeat(10) + String.fromCharCode(GETPID_PICKLE.length),
      }]),
      "evil",
    ],
    [
      "links inside the archive",
      tarOf([
        { name: "a/b", type: "2", target: "../c" },
        { name: "d", type: "1", target: "a/x" },
        EVIL,
      ]),
      "evil",
    ],
    ["a checksum that only Python accepts", withChecksum(tarOf([EVIL, CLEAN]), "+0o"), "evil"],
    ["a folder", tarOf([{ name: "a/", type: "5" }, { name: "a/", type: "5" }, EVIL]), "evil"],
  ];
  for (const [title, archive, name] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(tarScanner, archive);
      assert.deepEqual(scan.checks.filter(({ status }) => status !== "passed"), []);
      assert.equal(scan.checks.length, 6);
      assert.equal(scan.texts.get(name), EVIL_TEXT);
    });
  }
});

Deno.test("scanning 2.5: scans the members of a PyTorch 0.1 model", () => {
  const names = ["sys_info", "pickle", "storages", "tensors"];
  const scan = scanMatching(tarScanner, tarOf(names.map((name) => ({ name, data: name }))));
  assert.deepEqual(scan.submitted.map(({ name }) => name), names);
  assert.equal(scan.facts.archive_entries, 4);
  assert.equal(Object.keys(Object(scan.facts.member_file_hashes)).length, 4);
  assert.deepEqual(scan.contents?.[0], { name: "sys_info", size: 8, type: "file" });
});

Deno.test("scanning 2.7: does not match content that is not a TAR archive", async (t) => {
  const forged = tarOf([CLEAN]);
  forged[0] = 0x78;
  const rows: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["zeros", new Uint8Array(2048)],
    ["a wrong checksum", forged],
    ["text", Buffer.alloc(1024, "ustar\n")],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => assert.equal(scanArchive(tarScanner, content), undefined));
  }
});

Deno.test("evasion 50: reports names, links and devices that leave the archive", async (t) => {
  const path = "critical S405 Archive Entry Path";
  const special = "critical S408 Archive Special File";
  const pax = "25 linkpath=../../../etc\n";
  const rows: [string, Entry[], string[]][] = [
    ["parent folders", [{ ...EVIL, name: "../evil" }], [path]],
    ["an absolute name", [{ ...EVIL, name: "/tmp/evil" }], [path]],
    ["a hard link outside the archive", [{ name: "x", type: "1", target: "../../x" }], [
      "critical S406 Archive Link",
    ]],
    ["a hard link relative to the root of the archive", [{
      name: "a/x",
      type: "1",
      target: "../x",
    }], [
      "critical S406 Archive Link",
    ]],
    ["a symbolic link outside the archive", [{ name: "x", type: "2", target: "../x" }], [
      "critical S406 Archive Link",
    ]],
    ["a symbolic link to a system file", [{ name: "x", type: "2", target: "/etc/passwd" }], [
      "critical S408 Archive Link",
    ]],
    [
      "a link target in a pax record",
      [{ name: "p", type: "x", data: pax }, { name: "x", type: "2", target: "y" }],
      ["critical S408 Archive Link"],
    ],
    ["a link target in a global pax record", [{ name: "p", type: "g", data: pax }, CLEAN, {
      name: "x",
      type: "2",
      target: "y",
    }], ["critical S408 Archive Link"]],
    ["a character device", [{ name: "x", type: "3" }], [special]],
    ["a block device", [{ name: "x", type: "4" }], [special]],
    ["a pipe", [{ name: "x", type: "6" }], [special]],
    ["a path through a link", [{ name: "a", type: "2", target: "b" }, { ...EVIL, name: "a/x" }], [
      "warning S406 Archive Link",
    ]],
    ["a duplicate name", [CLEAN, CLEAN], ["warning S902 Archive Duplicate Entry"]],
  ];
  for (const [title, entries, findings] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(tarScanner, tarOf([...entries, { ...EVIL, name: "last" }]));
      assert.deepEqual([...scan.findings], findings);
      assert.equal(scan.texts.get("last"), EVIL_TEXT);
    });
  }
});

Deno.test("scanning 2.7: scans what follows a fault in a TAR archive", async (t) => {
  const broken = tarOf([CLEAN, CLEAN, EVIL]);
  broken[1024] = 0x58;
  const rows: [string, Buffer, string[], string[]][] = [
    ["a broken header", broken, ["info S902 Archive Structure"], ["corrupt_header"]],
    [
      "a broken header with its data after it",
      Buffer.concat([
        member(CLEAN),
        member(EVIL).fill("x", 148, 156).subarray(0, 512),
        GETPID_PICKLE,
      ]),
      ["info S902 Archive Structure"],
      ["corrupt_header"],
    ],
    ["an archive after the end", Buffer.concat([tarOf([CLEAN]), tarOf([EVIL])]), [
      "warning S908 Archive Structure",
    ], []],
    ["bytes after the end", Buffer.concat([tarOf([CLEAN]), GETPID_PICKLE]), [
      "warning S908 Archive Structure",
    ], []],
    [
      "a truncated member",
      tarOf([{ ...EVIL, size: "00000077777\0" }], 0).subarray(0, 512 + GETPID_PICKLE.length),
      ["info S902 Archive Structure"],
      ["truncated_archive"],
    ],
    ["a size that is not a number", tarOf([{ ...CLEAN, size: "abcdefghijk\0" }, EVIL]), [
      "info S902 Archive Structure",
    ], ["corrupt_header"]],
  ];
  for (const [title, archive, findings, reasons] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(tarScanner, archive);
      assert.deepEqual([...scan.findings], findings);
      assert.deepEqual(scan.reasons, reasons);
      assert.ok(scan.submitted.some(({ content }) => Buffer.from(GETPID_PICKLE).equals(content)));
    });
  }
});

Deno.test("scanning 2.7: reports entries beyond the limit and does not scan them", () => {
  const entries = Array.from({ length: 50 }, (_, n) => ({ name: `${n}`, data: "x" }));
  const scan = scanMatching(tarScanner, tarOf(entries), { limits: { ...LIMITS, maxMembers: 20 } });
  assert.deepEqual(scan.findings, ["warning S410 Archive Entry Count"]);
  assert.deepEqual(scan.reasons, ["too_many_entries"]);
  assert.equal(scan.submitted.length, 20);
});

Deno.test("C 15: no input makes a scan of a TAR archive throw", () => {
  const archive = tarOf([
    { name: "././@LongLink", type: "L", data: "long\0" },
    EVIL,
    { name: "p", type: "x", data: "12 path=abcd\n" },
    CLEAN,
    { name: "l", type: "2", target: "../x" },
  ]);
  const random = seeded(7);
  let matched = 0;
  for (let round = 0; round < 4000; round++) {
    const copy = Buffer.from(archive);
    for (let count = random(4); count >= 0; count--) copy[random(copy.length)] = random(256);
    fixChecksum(copy, random(5) * 512);
    const bytes = round % 5 === 0 ? copy.subarray(0, random(copy.length)) : copy;
    if (scanArchive(tarScanner, bytes, { content: memorySource(bytes) })) matched++;
  }
  assert.ok(matched > 2000, `${matched} match`);
});

/** Corrects the checksum of a header, so that mutations in it take effect. */
function fixChecksum(archive: Buffer, start: number): void {
  const block = archive.subarray(start, start + 512).fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
}

function withChecksum(archive: Buffer, prefix: string): Buffer {
  const digits = archive.toString("latin1", 149, 154).replace(/^0*/, "");
  archive.write(`${prefix}${digits}\0\0\0\0\0\0`.slice(0, 8), 148);
  return archive;
}
