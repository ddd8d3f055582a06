import { basename, dirname } from "node:path";
import { barChart } from "./chart.ts";
import { type Comparison, median, type Result, speedups, spread } from "./measures.ts";

/** The results of a run. */
export interface Report {
  /** What the figures depend on, a line for each fact. */
  readonly facts: readonly string[];
  /** The names and results of the cases. */
  readonly results: readonly (readonly [name: string, result: Result])[];
}

/** The programs that write a part of a report each. */
type Program = "bench" | "load";

/** What stands between such a line and the next is replaced by the program that it names; the rest is kept. */
const MARKER =
  /^(<!-- `deno task \w{1,20}` writes what follows, up to the next line like this\. -->)$/m;

/**
 * Writes a report in Markdown, and a chart in SVG for each comparison of several programs into the
 * directory with the name of the report. Replaces that directory, and what a former run wrote into the
 * report. Returns the files.
 */
export async function writeReport(path: string, report: Report): Promise<string[]> {
  const name = basename(path, ".md");
  const charts = `${dirname(path)}/${name}`;
  await Deno.remove(charts, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(charts, { recursive: true });
  await writePart(path, "bench", markdown(report, name));
  const written = [path];
  for (const comparison of report.results.flatMap(([, { comparisons }]) => comparisons)) {
    if (!hasChart(comparison)) continue;
    const chart = `${charts}/${chartName(comparison)}`;
    await Deno.writeTextFile(chart, barChart(bars(comparison)));
    written.push(chart);
  }
  return written;
}

/**
 * Replaces the part of a program in a report in Markdown, or begins a new report with it.
 *
 * @throws {Error} when the report does not have the line of the program once. It stays as it was then.
 */
export async function writePart(path: string, program: Program, part: string): Promise<void> {
  const marker =
    `<!-- \`deno task ${program}\` writes what follows, up to the next line like this. -->`;
  const text = await Deno.readTextFile(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return `# Benchmarks\n\n${marker}\n`;
    throw error;
  });
  // Texts and lines of programs take turns.
  const pieces = text.split(MARKER);
  const at = pieces.indexOf(marker);
  if (at === -1 || at !== pieces.lastIndexOf(marker)) {
    throw new Error(`${path} must have the line "${marker}" once`);
  }
  const isLast = at === pieces.length - 2;
  pieces[at + 1] = `\n\n${part.trim()}\n${isLast ? "" : "\n"}`;
  await Deno.writeTextFile(path, pieces.join(""));
}

/** What a run writes. Its charts are in `directory`, relative to the report. */
function markdown({ facts, results }: Report, directory: string): string {
  return [
    "## The run",
    facts.map((fact) => `- ${fact}`).join("\n"),
    "Each table has programs that did the same work in turn, round by round: the median of the rounds, and " +
    "in parentheses the range. The last column compares the program of the first row with that of the row, " +
    "by the median of the ratios within a round: 2 means twice as fast, 0.5 half as fast.",
    "strongroom computes MD5, SHA-256 and CRC-32 of what it receives, and replies when the content is " +
    "synced to the disk. nginx, dufs and rclone neither hash nor sync.",
    ...results.flatMap(([name, result]) => section(name, result, directory)),
  ].join("\n\n") + "\n";
}

function section(name: string, { comparisons, notes }: Result, directory: string): string[] {
  return [
    `## ${capitalized(name)}`,
    ...comparisons.flatMap((comparison) => [
      ...comparison.title === name ? [] : [`### ${capitalized(comparison.title)}`],
      table(comparison),
      ...hasChart(comparison)
        ? [`![${comparison.title}](${directory}/${chartName(comparison)})`]
        : [],
    ]),
    ...notes.length > 0 ? [notes.map((note) => `- ${note}`).join("\n")] : [],
  ];
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

function table(comparison: Comparison): string {
  const { unit, values } = comparison;
  const heading = unit === "s" ? "Seconds" : "Per second";
  const [first = ""] = Object.keys(values);
  const rows = Object.entries(values).map(([name, of], index) => {
    const ratio = index === 0 ? "" : spread(speedups(comparison, name));
    return `| ${name} | ${spread(of, unit === "s" ? 2 : 0)} | ${ratio} |`;
  });
  return [`| | ${heading} | Speed of ${first}, relative |`, "|-|-|-|", ...rows].join("\n");
}

/** A single bar would show nothing. */
function hasChart({ values }: Comparison): boolean {
  return Object.keys(values).length > 1;
}

function chartName({ title }: Comparison): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.svg`;
}

function bars({ title, unit, values }: Comparison) {
  const better = unit === "s" ? "seconds, less is better" : "per second, more is better";
  return {
    title: `${title}: ${better}`,
    digits: unit === "s" ? 2 : 0,
    bars: Object.entries(values).map(([name, of]) => ({ name, value: median(of) })),
  };
}
