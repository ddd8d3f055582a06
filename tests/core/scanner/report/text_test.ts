import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { reportOf } from "../../../../core/scanner/report/report.ts";
import { reportText } from "../../../../core/scanner/report/text.ts";
import type { Issue, Report } from "../../../../schemas/report/report.ts";
import { RULES } from "../../../../core/scanner/contract/rules.ts";

function reportWith(parts: Partial<Report> = {}): Report {
  return {
    ...reportOf({ files: [], startTime: 0, duration: 0 }),
    files_scanned: 2,
    bytes_scanned: 1536,
    total_checks: 5,
    passed_checks: 5,
    ...parts,
  };
}

const CRITICAL: Issue = {
  message: "Calls os.system",
  severity: "critical",
  location: "b.pkl (pos 12)",
  why: RULES.S101.why,
  rule_code: "S101",
};
const WARNING: Issue = { message: "Odd name", location: "a.pkl:data.pkl" };

Deno.test("reportText() is one line if nothing was found", () => {
  assert.equal(
    reportText(reportWith(), { width: 80 }),
    "2 files (1.5 KiB): nothing found; 5 checks passed\n",
  );
});

Deno.test("reportText() lists the worst first, with the reason and the advice", () => {
  const issues = [WARNING, { ...WARNING, message: "A note", severity: "info" } as const, CRITICAL];
  const text = reportText(
    reportWith({ issues, total_checks: 7, passed_checks: 5, failed_checks: 2 }),
    { width: 100 },
  );
  assert.equal(
    text,
    `CRITICAL S101 os
  b.pkl (pos 12)
    Calls os.system
  Why: ${RULES.S101.why}
  What to do: ${RULES.S101.advice}

WARNING
  a.pkl:data.pkl
    Odd name
  What to do: Do not load the file until you know why this is there.

2 files (1.5 KiB): 1 critical, 1 warning, 1 info; 5 checks passed
`,
  );
});

Deno.test("reportText() groups findings by rule and lists twenty of each", () => {
  const issues = Array.from({ length: 23 }, (_, n) => ({ ...CRITICAL, location: `f${n}` }));
  const other = { ...CRITICAL, why: "It is another reason.", location: "other" };
  const text = reportText(reportWith({ issues: [...issues, other] }), { width: 80 });
  assert.equal(text.match(/CRITICAL S101 os/g)?.length, 2);
  assert.match(text, / {2}f19\n {4}Calls os.system\n {2}and 3 more\n {2}Why: It can/);
  assert.match(text, /Why: It is another reason\.\n {2}What to do: Do not load/);
});

Deno.test("C 16 reportText() lists files that were not fully read", () => {
  const inconclusive = { scan_outcome: "inconclusive", scan_outcome_reasons: ["truncated_stream"] };
  const many = Array.from({ length: 21 }, (_, n) => [`d/${n}`, inconclusive] as const);
  const one = { "a.pt": inconclusive, "b.pt": {}, "c.pt": { scan_outcome: "inconclusive" } };
  const [few, lots] = [one, Object.fromEntries(many)].map((file_metadata) =>
    reportText(reportWith({ file_metadata, has_errors: true }), { width: 80 })
  );
  assert.equal(
    few,
    `2 files not fully read
  a.pt: truncated stream
  c.pt

2 files (1.5 KiB): nothing found; 5 checks passed
Errors prevented a complete scan.
`,
  );
  assert.match(lots ?? "", /^21 files not fully read\n {2}d\/0: .*[^]*\n {2}and 1 more\n/);
});

Deno.test("C 16: reportText() lists files that were not scanned, except empty ones", () => {
  const check = { name: "Known Format", status: "skipped" } as const;
  const checks = [
    { ...check, message: "Not scanned: unknown format", location: "m.tflite" },
    { ...check, message: "Not scanned: the file is empty", location: "py.typed" },
  ];
  const text = reportText(reportWith({ checks, total_checks: 7 }), { width: 80 });
  assert.match(text, /^1 file not scanned\n {2}m\.tflite: unknown format\n\n2 f/);
});

Deno.test("reportText() names skipped checks", () => {
  const skipped = { status: "skipped", message: "m" } as const;
  const checks = [{ name: "Known Format", ...skipped }, { name: "Known Format", ...skipped }];
  const text = reportText(reportWith({ checks, total_checks: 7 }), { width: 80 });
  assert.match(text, /5 checks passed, 2 skipped \(Known Format\)\n$/);
});

Deno.test("reportText() uses colors only if allowed", () => {
  const report = reportWith({ issues: [CRITICAL] });
  const colored = reportText(report, { width: 80, color: true });
  assert.ok(colored.startsWith("\x1b[1;31mCRITICAL\x1b[0m S101"));
  assert.equal(reportText(report, { width: 80 }).includes("\x1b"), false);
});

Deno.test("reportText() escapes text from files, which must not control the terminal", () => {
  const hostile = "a\x1b[2Jb\nc\u202ed\x9be\ud800";
  const issue = { message: hostile, location: hostile, why: hostile, rule_code: hostile };
  const report = reportWith({
    issues: [issue],
    checks: [{ name: hostile, status: "skipped", message: hostile }],
    total_checks: 6,
    file_metadata: { [hostile]: { scan_outcome: "inconclusive", scan_outcome_reasons: [hostile] } },
  });
  const text = reportText(report, { width: 200 });
  assert.doesNotMatch(text, /[^\P{C}\n]/u);
  const spelled = "a\\u{1b}[2Jb\\u{a}c\\u{202e}d\\u{9b}e\\u{d800}";
  assert.equal(text.split(spelled).length - 1, 7);
});

Deno.test("reportText() keeps to the width, except for long words", () => {
  const text = fc.array(fc.stringMatching(/^[a-z]{1,20}$/), { minLength: 1, maxLength: 40 })
    .map((words) => words.join(" "));
  fc.assert(fc.property(text, text, fc.integer({ min: 30, max: 120 }), (message, why, width) => {
    const issue = { ...CRITICAL, location: "f", message, why };
    const lines = reportText(reportWith({ issues: [issue] }), { width }).split("\n");
    assert.ok(lines.every((line) => line.length <= width), lines.join("\n"));
    assert.ok(lines.map((it) => it.trim()).join(" ").includes(`${message} Why: ${why} What`));
  }));
});

Deno.test("reportText() formats counts and sizes", async (t) => {
  const rows: [number, number, string][] = [
    [1, 1, "1 file (1 byte)"],
    [0, 0, "0 files (0 bytes)"],
    [1200, 1023, "1,200 files (1,023 bytes)"],
    [2, 1024, "2 files (1.0 KiB)"],
    [2, 5.5 * 2 ** 30, "2 files (5.5 GiB)"],
    [2, 2 ** 52, "2 files (4096.0 TiB)"],
  ];
  for (const [files, bytes, expected] of rows) {
    await t.step(expected, () => {
      const report = reportWith({ files_scanned: files, bytes_scanned: bytes });
      assert.ok(reportText(report, { width: 80 }).startsWith(`${expected}: nothing found`));
    });
  }
});
