import * as assert from "node:assert/strict";
import { TempDir } from "../support/temp_dir.ts";
import { comparisonLines } from "./measures.ts";
import { writePart, writeReport } from "./report.ts";

const UPLOAD = {
  title: "upload of 5 MB",
  unit: "s",
  values: { strongroom: [2, 1, 4], "a < b & c": [1, 2, 8] },
} as const;
const RATES = { title: "requests", unit: "/s", values: { strongroom: [30], other: [10] } } as const;
const LONE = { title: "alone", unit: "s", values: { strongroom: [1] } } as const;

Deno.test("a comparison shows medians, ranges, and how many times as fast the first program is", () => {
  assert.deepEqual(comparisonLines(UPLOAD), [
    "upload of 5 MB:",
    "  strongroom: 2.00 (1.00…4.00) s",
    "  a < b & c: 2.00 (1.00…8.00) s, ratio 2.00 (0.50…2.00)",
  ]);
  assert.equal(comparisonLines(RATES)[2], "  other: 10 (10…10) /s, ratio 3.00 (3.00…3.00)");
});

Deno.test("a report has a table for each comparison, and a chart for each of several programs", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/figures.md`;
  await Deno.mkdir(`${directory.path}/figures`);
  await Deno.writeTextFile(`${directory.path}/figures/former.svg`, "");
  const results = [
    ["upload of 5 MB", { comparisons: [UPLOAD], notes: ["peak memory 5 MB"] }],
    ["others", { comparisons: [RATES, LONE], notes: [] }],
  ] as const;
  const written = await writeReport(path, { facts: ["2 cores"], results });
  const names = [...Deno.readDirSync(`${directory.path}/figures`)].map(({ name }) => name).sort();
  assert.deepEqual(names, ["requests.svg", "upload-of-5-mb.svg"]);
  assert.deepEqual(written, [
    path,
    `${directory.path}/figures/upload-of-5-mb.svg`,
    `${directory.path}/figures/requests.svg`,
  ]);
  const text = await Deno.readTextFile(path);
  assert.match(text, /^- 2 cores$/m);
  assert.match(text, /^# Benchmarks\n\n<!-- .* -->\n\n## The run$/m);
  assert.match(text, /^## Upload of 5 MB\n\n\| \| Seconds \| Speed of strongroom, relative \|$/m);
  assert.match(text, /^\| a < b & c \| 2\.00 \(1\.00…8\.00\) \| 2\.00 \(0\.50…2\.00\) \|$/m);
  assert.match(
    text,
    /^!\[upload of 5 MB\]\(figures\/upload-of-5-mb\.svg\)\n\n- peak memory 5 MB$/m,
  );
  assert.match(text, /^### Alone\n\n.*\n.*\n\| strongroom \| 1\.00 \(1\.00…1\.00\) \| {2}\|$/m);
  const chart = await Deno.readTextFile(written[1] ?? "");
  assert.match(chart, /<text[^>]*>a &lt; b &amp; c<\/text>/);
  assert.deepEqual(
    [...chart.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => width),
    ["430.0", "430.0"],
  );
});

Deno.test("a report keeps what stands above the line of the program, and replaces the rest", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/figures.md`;
  const results = [["others", { comparisons: [RATES], notes: [] }]] as const;
  await writeReport(path, { facts: ["2 cores"], results });
  const first = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, first.replace("# Benchmarks", "# Figures\n\nBy hand."));
  await writeReport(path, { facts: ["4 cores"], results });
  const second = await Deno.readTextFile(path);
  assert.equal(
    second,
    first.replace("# Benchmarks", "# Figures\n\nBy hand.").replace("- 2 cores", "- 4 cores"),
  );
});

Deno.test("a report does not replace a page without the line of the program", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/notes.md`;
  await Deno.writeTextFile(path, "# Notes\n");
  await assert.rejects(writeReport(path, { facts: [], results: [] }), /must have the line/);
  assert.equal(await Deno.readTextFile(path), "# Notes\n");
});

Deno.test("each program replaces its own part of a report, and keeps that of the other", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/figures.md`;
  await writePart(path, "load", "## Under attack\n\nFormer.");
  const marker = (await Deno.readTextFile(path)).match(/^<!--.*-->$/m)?.[0] ?? "";
  const bench = marker.replace("load", "bench");
  const both = (load: string, run: string) =>
    `# Benchmarks\n\n${marker}\n\n${load}\n\n${bench}\n\n${run}\n`;
  await Deno.writeTextFile(path, both("Former.", "## The run"));
  await writePart(path, "load", "Latest.\n");
  assert.equal(await Deno.readTextFile(path), both("Latest.", "## The run"));
  await writePart(path, "bench", "## The latest run\n");
  assert.equal(await Deno.readTextFile(path), both("Latest.", "## The latest run"));
});
