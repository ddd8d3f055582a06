/**
 * `deno task load`: what others have of a server that one user attacks. Prints a table in Markdown.
 * `--attack=TEXT` measures only attacks whose name has this text, `--seconds=N` sets how long each lasts,
 * `--report=FILE` writes the table of all attacks into a report. Works on Linux only.
 */

import { writePart } from "../bench/report.ts";
import { ChildServer } from "../support/child_server.ts";
import { formatBytes } from "../../schemas/units.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { type Attack, delay } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { ATTACKED_SERVER, MAX_HELD_UP_MS, measure, percentile, type Result } from "./measure.ts";
import type { Sample } from "./others.ts";

const option = (name: string) =>
  Deno.args.find((it) => it.startsWith(`--${name}=`))?.slice(name.length + 3);
const seconds = Number(option("seconds") ?? 15);
const named = option("attack") ?? "";

const path = option("report");
if (path !== undefined && named !== "") throw new Error("A report has all attacks: omit --attack");

const lines = [
  "| One user | Others: p50, p99, quiet | under attack | failed | replies to the attacker | memory | recovery | holds |",
  "| --- | --- | --- | --- | --- | --- | --- | --- |",
];
console.log(`${machine()}\n\n${lines.join("\n")}`);
for (const attack of ATTACKS.filter(({ name }) => name.includes(named))) {
  const line = row(attack, await measured(attack));
  console.log(line);
  lines.push(line);
}
if (path !== undefined) {
  await writePart(path, "load", section(lines.join("\n")));
  const { code, stderr } = await run(Deno.execPath(), ["fmt", "-q", path]);
  if (code !== 0) throw new Error(stderr);
}
Deno.exit(0);

/** The part of the report, with its table. */
function section(table: string): string {
  return [
    "## Under attack",
    "One user attacks a server while another one lists, uploads, downloads and makes directories. The table " +
    "has what the other one has of it, how much memory the server takes, and how long after the attack it is " +
    `as before. An attack holds if the p99 of the other is at most ${MAX_HELD_UP_MS} ms or ten times that ` +
    "without it, nothing fails, memory stays within 400 MB, and the server recovers within 5 s. The attacker " +
    "runs on the same machine.",
    machine(),
    table,
    "The last row is not an attack: eight honest clients use the server for three minutes. Its limit is 180 " +
    "MB of memory; a server that only passes buffers between as many threads takes 128 MB ([why](#memory)).",
  ].join("\n\n");
}

async function measured(attack: Attack): Promise<Result> {
  await using directory = await TempDir.make();
  await using server = await ChildServer.start({
    dataDir: directory.path,
    env: ATTACKED_SERVER,
  });
  return await measure(server, attack, {
    small: false,
    quietMs: 5000,
    attacked: () => delay(Math.max(seconds, attack.minSeconds ?? 0) * 1000),
  });
}

function row({ name, maxBytes = 400e6 }: Attack, result: Result): string {
  const { quiet, attacked, peakBytes, recoverySeconds, replies } = result;
  const failed = attacked.filter(({ succeeded }) => !succeeded).length;
  const p99 = percentile(attacked, 99);
  const holds = failed === 0 && (p99 <= MAX_HELD_UP_MS || p99 <= 10 * percentile(quiet, 99)) &&
    peakBytes <= maxBytes && recoverySeconds <= 5;
  const cells = [
    name,
    latency(quiet),
    latency(attacked),
    `${failed} of ${attacked.length}`,
    [...replies].map(([status, count]) => `${count} × ${status}`).join(", "),
    formatBytes(peakBytes),
    `${recoverySeconds.toFixed(1)} s`,
    holds ? "yes" : "no",
  ];
  return `| ${cells.join(" | ")} |`;
}

function latency(samples: readonly Sample[]): string {
  return `${percentile(samples, 50).toFixed(0)}, ${percentile(samples, 99).toFixed(0)} ms`;
}

function machine(): string {
  const model = /^model name\s*:\s*(.*)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? "";
  const memory = formatBytes(Deno.systemMemoryInfo().total);
  return `${navigator.hardwareConcurrency} cores (${model}), ${memory}, Linux ${Deno.osRelease()}, ` +
    `Deno ${Deno.version.deno}, ${
      new Date().toISOString().slice(0, 10)
    }. Each attack took ${seconds} s.`;
}
