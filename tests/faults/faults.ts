/**
 * `deno task faults [--kills=N] [--power-losses=N] [--eio=N] [--enospc=N] [--backup-kills=N] [--seed=N]`:
 * breaks servers under load, and checks after each fault that no acknowledged change is lost, no refused
 * one is carried out, no wrong byte is served and the server starts again. Kills backups and restores,
 * and checks what is left. Ends with exit code 1 at the first violation.
 */

import { parseArgs } from "node:util";
import { canInjectFaults } from "../support/injected_fault.ts";
import { backupKills, restoreKills } from "./backup_kills.ts";
import type { CampaignOptions, Outcome } from "./campaign.ts";
import { injections } from "./injections.ts";
import { kills } from "./kills.ts";

/** So many faults share a data directory and a seed. */
const BATCH = 25;

/** A kind of faults, and the option that sets how many are tried. */
interface Kind {
  readonly name: string;
  readonly option: "kills" | "power-losses" | "eio" | "enospc" | "backup-kills";
  /** Why it cannot be tried here. */
  readonly missing?: string;
  readonly run: (options: CampaignOptions) => Promise<Outcome>;
}

const count = (standard: number) => ({ type: "string", default: String(standard) }) as const;
const { values } = parseArgs({
  options: {
    kills: count(300),
    "power-losses": count(50),
    eio: count(400),
    enospc: count(250),
    "backup-kills": count(100),
    seed: count(Date.now() % 2 ** 31),
  },
});

const noStrace = canInjectFaults ? {} : { missing: "strace cannot trace processes here" };
const KINDS: readonly Kind[] = [
  { name: "kill", option: "kills", run: kills },
  {
    name: "EIO at a call",
    option: "eio",
    ...noStrace,
    run: (options) => injections("EIO", options),
  },
  {
    name: "ENOSPC at a call",
    option: "enospc",
    ...noStrace,
    run: (options) => injections("ENOSPC", options),
  },
  { name: "kill of a backup", option: "backup-kills", run: backupKills },
  { name: "kill of a restore", option: "backup-kills", run: restoreKills },
];

console.log(row(["fault", "tried", "survived", "changes", "failed", "seconds"]));
for (const kind of KINDS) console.log(row(await runKind(kind)));

/** Runs all batches of a kind. Returns its row of the table. */
async function runKind({ name, option, missing, run }: Kind): Promise<string[]> {
  const wanted = Number(values[option]);
  if (missing !== undefined) return [name, "0", "0", "0", "0", `skipped: ${missing}`];
  const started = performance.now();
  const total = { tried: 0, acknowledged: 0, failed: 0 };
  for (let seed = Number(values.seed); total.tried < wanted; seed++) {
    const count = Math.min(BATCH, wanted - total.tried);
    try {
      const { tried, acknowledged, failed } = await run({
        count,
        seed,
        progress: (done) => showProgress(`${name}: ${total.tried + done} of ${wanted}`),
      });
      total.tried += tried;
      total.acknowledged += acknowledged;
      total.failed += failed;
    } catch (error) {
      console.error(error);
      console.error(
        `\nViolation. Repeat with: deno task faults ${onlyOption(option, count, seed)}`,
      );
      Deno.exit(1);
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const { tried, acknowledged, failed } = total;
  return [name, tried, tried, acknowledged, failed, seconds.toFixed(0)].map(String);
}

/** Options that run one batch of one kind. */
function onlyOption(option: Kind["option"], count: number, seed: number): string {
  const options = new Set(KINDS.map((kind) => kind.option));
  const counts = [...options].map((it) => `--${it}=${it === option ? count : 0}`);
  return [...counts, `--seed=${seed}`].join(" ");
}

function showProgress(text: string): void {
  if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r${text}  `));
}

function row([name = "", ...columns]: readonly string[]): string {
  return name.padEnd(24) + columns.map((it) => it.padStart(10)).join("");
}
