import { basename, dirname } from "node:path";
import { barChart } from "./chart.ts";
import { type Comparison, median, type Result, speedups, spread } from "./measures.ts";

/** The results of a run. */
export interface Report {
  /** What the figures depend on, a line for each fact. */
  readonly machine: readonly string[];
  /** The names and results of the cases. */
  readonly results: readonly (readonly [name: string, result: Result])[];
}

/**
 * Writes a report in Markdown, and a chart in SVG for each comparison of several programs into the
 * directory with the name of the report. Replaces that directory. Returns the files.
 */
export async function writeReport(path: string, report: Report): Promise<string[]> {
  const name = basename(path, ".md");
  const charts = `${dirname(path)}/${name}`;
  await Deno.remove(charts, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(charts, { recursive: true });
  await Deno.writeTextFile(path, markdown(report, name));
  const written = [path];
  for (const comparison of report.results.flatMap(([, { comparisons }]) => comparisons)) {
    if (!hasChart(comparison)) continue;
    const chart = `${charts}/${chartName(comparison)}`;
    await Deno.writeTextFile(chart, barChart(bars(comparison)));
    written.push(chart);
  }
  return written;
}

/** The report. Its charts are in `directory`, relative to it. */
export function markdown({ machine, results }: Report, directory: string): string {
  return [
    "# Benchmarks",
    "`deno task bench --report=docs/benchmarks.md` wrote this page. nginx, dufs and rclone neither hash nor " +
    "sync what they receive; strongroom computes MD5, SHA-256 and CRC-32, and replies when the content is " +
    "synced.",
    machine.map((fact) => `- ${fact}`).join("\n"),
    ...results.flatMap(([name, result]) => section(name, result, directory)),
  ].join("\n\n") + "\n";
}

function section(name: string, { comparisons, notes }: Result, directory: string): string[] {
  return [
    `## ${name[0]?.toUpperCase()}${name.slice(1)}`,
    ...comparisons.flatMap((comparison) => [
      ...comparison.title === name ? [] : [`### ${comparison.title}`],
      table(comparison),
      ...hasChart(comparison)
        ? [`![${comparison.title}](${directory}/${chartName(comparison)})`]
        : [],
    ]),
    ...notes.length > 0 ? [notes.map((note) => `- ${note}`).join("\n")] : [],
  ];
}

function table(comparison: Comparison): string {
  const { unit, values } = comparison;
  const heading = unit === "s" ? "Seconds" : "Requests a second";
  const rows = Object.entries(values).map(([name, of], index) => {
    const ratio = index === 0 ? "" : spread(speedups(comparison, name));
    return `| ${name} | ${spread(of, unit === "s" ? 2 : 0)} | ${ratio} |`;
  });
  return [`| | ${heading} | strongroom is as fast, times |`, "|-|-|-|", ...rows].join("\n");
}

/** A single bar would show nothing. */
function hasChart({ values }: Comparison): boolean {
  return Object.keys(values).length > 1;
}

function chartName({ title }: Comparison): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.svg`;
}

function bars({ title, unit, values }: Comparison) {
  const better = unit === "s" ? "seconds, less is better" : "requests a second, more is better";
  return {
    title: `${title}: ${better}`,
    digits: unit === "s" ? 2 : 0,
    bars: Object.entries(values).map(([name, of]) => ({ name, value: median(of) })),
  };
}
