import * as assert from "node:assert/strict";
import { validateParsedReport } from "../../../core/reports.ts";
import { ReportThread } from "../../../storage/reports/report_thread.ts";
import { fullReport } from "../../conformance/report_table.ts";

Deno.test("C 15 ReportThread validates reports like verdictOn()", async () => {
  using thread = new ReportThread();
  const judge = async (text: string) =>
    new TextDecoder().decode(await thread.validate(new TextEncoder().encode(text)));
  const reports = [fullReport(), { ...fullReport(), duration: null }, fullReport()];
  assert.deepEqual(
    await Promise.all(reports.map((report) => judge(JSON.stringify(report)))),
    reports.map((report) => JSON.stringify(validateParsedReport(report))),
  );
  await assert.rejects(judge("{"), { kind: "ErrResourcesInvalidRequest" });
  assert.match(await judge("{}"), /^\{"valid":false/);
});
