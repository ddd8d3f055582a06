import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { type FileOutcome, reportOf } from "../../../../core/scanner/report/report.ts";
import { REPORT_PARTS, ReportStream } from "../../../../core/scanner/report/report_stream.ts";
import { countBySeverity } from "../../../../core/scanner/contract/severity.ts";
import { failed, outcomes, scanOf } from "./outcomes.ts";

const OPTIONS = { startTime: 10, duration: 5 };

/** The text that a stream writes for the files, and the stream. */
function written(files: readonly FileOutcome[]) {
  const stream = new ReportStream(OPTIONS);
  stream.expect(files.map(({ path }) => path));
  const pieces = [...files.flatMap((file) => [...stream.add(file)]), ...stream.finish()];
  const parts = REPORT_PARTS.map((part) =>
    pieces.filter((piece) => piece.part === part).map(({ text }) => text).join("")
  );
  return { text: parts.join(""), stream };
}

Deno.test("C 16 a ReportStream writes the report that reportOf() builds", () => {
  fc.assert(fc.property(outcomes, (files) => {
    const expected = reportOf({ ...OPTIONS, files });
    const { text, stream } = written(files);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(expected)));
    assert.deepEqual(stream.issues, countBySeverity(expected.issues));
    assert.equal(stream.totals.files_scanned, expected.files_scanned);
  }));
});

Deno.test("C 16 a ReportStream reports an issue once that two files have", () => {
  const finding = { name: "A", severity: "warning", message: "Bad" } as const;
  const files: FileOutcome[] = [
    { path: "a", scan: scanOf([failed({ ...finding, location: ":b" })]) },
    { path: "a:b", scan: scanOf([failed({ ...finding, location: "" })]) },
  ];
  assert.equal(JSON.parse(written(files).text).issues.length, 1);
});
