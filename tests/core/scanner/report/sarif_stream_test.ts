import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { type FileOutcome, streamedReport } from "../../../../core/scanner/mod.ts";
import {
  elementsText,
  REPORT_PARTS,
  type ReportPart,
} from "../../../../core/scanner/report/report_stream.ts";
import { reportSarif } from "../../../../core/scanner/report/sarif.ts";
import { type ReportReader, sarifText } from "../../../../core/scanner/report/sarif_stream.ts";
import { check, failed, outcomes, scanOf } from "./outcomes.ts";

/** The chunks of each part of a report, each of as many pieces as `size` says. */
function chunksOf(files: readonly FileOutcome[], size: number): Map<ReportPart, string[]> {
  const stream = streamedReport({
    startTime: 1_700_000_000.5,
    duration: 1.5,
    skip: [],
  });
  stream.expect(files.map(({ path }) => path));
  const pieces = [...files.flatMap((file) => [...stream.add(file)]), ...stream.finish()];
  return new Map(REPORT_PARTS.map((part) => {
    const texts = pieces.filter((it) => it.part === part).map(({ text }) => text);
    const chunks: string[] = [];
    while (texts.length > 0) chunks.push(texts.splice(0, size).join(""));
    return [part, chunks];
  }));
}

function readerOf(chunks: ReadonlyMap<ReportPart, readonly string[]>): ReportReader {
  function* elements(part: "issues" | "file_metadata") {
    const texts = chunks.get(part) ?? [];
    for (const [index, text] of texts.entries()) {
      const edges = { isFirst: index === 0, isLast: index === texts.length - 1 };
      yield elementsText(part, text, edges);
    }
  }
  return {
    head: () => Promise.resolve(JSON.parse(`${chunks.get("head")?.join("")}}`)),
    async *issues() {
      for await (const text of elements("issues")) yield JSON.parse(`[${text}]`);
    },
    async *files() {
      for await (const text of elements("file_metadata")) {
        yield Object.entries(JSON.parse(`{${text}}`));
      }
    },
  };
}

/** A log whose artifacts are in order. Properties of JSON come in another order if they are numbers. */
function sorted(log: { runs: [{ artifacts: { location: { uri: string } }[] }] }) {
  const uriOf = ({ location }: { location: { uri: string } }) => location.uri;
  log.runs[0].artifacts.sort((a, b) => uriOf(a) < uriOf(b) ? -1 : 1);
  return log;
}

async function compare(files: readonly FileOutcome[], size: number): Promise<void> {
  const chunks = chunksOf(files, size);
  const whole = JSON.parse([...chunks.values()].flat().join(""));
  const texts = await Array.fromAsync(sarifText(readerOf(chunks), { version: "1.2.3" }));
  const log = texts.join("");
  assert.deepEqual(
    sorted(JSON.parse(log)),
    sorted(JSON.parse(JSON.stringify(reportSarif(whole, { version: "1.2.3" })))),
  );
}

Deno.test("C 24 a SARIF log that is written piece by piece is the one of the whole report", async () => {
  await fc.assert(fc.asyncProperty(outcomes, fc.integer({ min: 1, max: 5 }), compare));
});

Deno.test("C 24 a SARIF log tells files apart whose names look like parts of a report", async () => {
  const bad = () =>
    scanOf([
      failed({ name: "Import", severity: "critical", ruleCode: "S101", message: "Calls eval" }),
      failed({ name: "Import", severity: "critical", ruleCode: "S101", message: "Calls eval" }),
      check({ name: "Fine" }),
    ]);
  const paths = ["file_metadata", "issues", "__proto__", "1", "a (pos 3)", "a", "a.zip:b", "]}"];
  for (const size of [1, 2, 100]) await compare(paths.map((path) => ({ path, scan: bad() })), size);
  await compare([], 1);
});
