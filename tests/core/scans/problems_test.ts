import * as assert from "node:assert/strict";
import { describeProblems } from "../../../core/scans/problems.ts";

Deno.test("C 16 describeProblems()", async (t) => {
  const none = { files: 3, unscanned: 0, firstFailure: "", cutShort: 0, firstError: "" };
  const rows: [string, Partial<typeof none>, string | null][] = [
    ["nothing is wrong", {}, null],
    [
      "files that could not be scanned",
      { unscanned: 2, firstFailure: "Gone" },
      "2 of 3 files could not be scanned: Gone",
    ],
    [
      "files that a limit cut short, too",
      { unscanned: 1, firstFailure: "Gone", cutShort: 2, firstError: "A limit" },
      "1 of 3 files could not be scanned: Gone; " +
      "2 of 3 files could not be scanned completely: A limit",
    ],
  ];
  for (const [name, problems, expected] of rows) {
    await t.step(`C 16 ${name}`, () => {
      assert.equal(describeProblems({ ...none, ...problems }), expected);
    });
  }
});
