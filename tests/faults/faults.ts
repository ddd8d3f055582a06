/**
 * `deno task faults`: breaks servers under load, and checks after each fault that no acknowledged change
 * is lost, no refused one is carried out, no wrong byte is served and the server starts again. Kills
 * backups, restores and repairs, and checks what is left. Restarts servers behind a balancer, and checks
 * that nobody notices. `--kills=N` and so on for each of {@link COUNTS} set how many faults are tried,
 * `--only=TEXT` tries the kinds whose name has that text, and `--seed=N` is the first seed. Ends with exit
 * code 1 at the first violation.
 */

import { parseArgs } from "node:util";
import { MIB } from "../../schemas/units.ts";
import { canInjectFaults } from "../support/injected_fault.ts";
import { MemoryContainer } from "../support/memory_container.ts";
import { mountable } from "../support/small_disk.ts";
import { backupKills, restoreKills } from "./backup_kills.ts";
import type { CampaignOptions, Outcome } from "./campaign.ts";
import { fleetFaults, fleetMissing } from "./fleet.ts";
import { fullDisks } from "./full_disks.ts";
import { ALL_HOSTILE, scanHostileFiles } from "./hostile_scans.ts";
import { injections } from "./injections.ts";
import { historyFills } from "./history_fills.ts";
import { HISTORY, kills, killsWithHistory } from "./kills.ts";
import { canLosePower, powerLosses } from "./power_losses.ts";
import { repairKills } from "./repair_kills.ts";
import { rollingMissing, rollingRestarts } from "./rolling_restart.ts";

/** How many faults are tried: of each kind with the option, such as on each file system. */
const COUNTS = {
  kills: 300,
  "power-losses": 50,
  eio: 400,
  enospc: 250,
  "full-disks": 20,
  "history-fills": 200,
  "backup-kills": 100,
  fleet: 200,
  restarts: 6,
  containers: 1,
} as const;

/** So many faults share a data directory and a seed. */
const BATCH = 20;

/** A kind of faults, and the option that sets how many are tried. */
interface Kind {
  readonly name: string;
  readonly option: keyof typeof COUNTS;
  /** Why it cannot be tried here. */
  readonly missing?: string | undefined;
  readonly run: (options: CampaignOptions) => Promise<Outcome>;
}

const { values } = parseArgs({
  options: Object.fromEntries(
    [...Object.keys(COUNTS), "only", "seed"].map((name) => [name, { type: "string" } as const]),
  ),
});
const firstSeed = Number(values["seed"] ?? Date.now() % 2 ** 31);
const only = values["only"] ?? "";

console.log(row(["fault", "tried", "survived", "changes", "failed", "seconds", "back after"]));
for (const kind of await allKinds()) {
  if (kind.name.includes(only)) console.log(row(await runKind(kind)));
}

async function allKinds(): Promise<Kind[]> {
  const disks = await mountable();
  const powerLossKinds = (["ext4", "btrfs", "xfs"] as const).map(async (system): Promise<Kind> => ({
    name: `power loss, ${system}`,
    option: "power-losses",
    missing: await canLosePower(system) ? undefined : `no block log of ${system} here`,
    run: (options) => powerLosses(system, options),
  }));
  const fullDiskKinds = (["tmpfs", "ext4", "btrfs", "xfs"] as const).map((system): Kind => ({
    name: `full disk, ${system}`,
    option: "full-disks",
    missing: disks.has(system) ? undefined : `${system} cannot be mounted here`,
    run: (options) => fullDisks(system, options),
  }));
  const missing = canInjectFaults ? undefined : "strace cannot trace processes here";
  return [
    { name: "kill", option: "kills", run: kills },
    { name: "kill, with history", option: "kills", run: killsWithHistory },
    ...await Promise.all(powerLossKinds),
    {
      name: "power loss, with history",
      option: "power-losses",
      missing: await canLosePower("ext4") ? undefined : "no block log of ext4 here",
      run: (it) => powerLosses("ext4", it, HISTORY),
    },
    { name: "EIO of a call", option: "eio", missing, run: (it) => injections("EIO", it) },
    { name: "ENOSPC of a call", option: "enospc", missing, run: (it) => injections("ENOSPC", it) },
    ...fullDiskKinds,
    {
      name: "full disk, of history",
      option: "history-fills",
      missing: disks.has("tmpfs") ? undefined : "tmpfs cannot be mounted here",
      run: historyFills,
    },
    { name: "kill of a backup", option: "backup-kills", run: backupKills },
    { name: "kill of a restore", option: "backup-kills", run: restoreKills },
    { name: "kill of a repair", option: "backup-kills", run: repairKills },
    {
      name: "kill in a fleet of 3",
      option: "fleet",
      missing: fleetMissing,
      run: fleetFaults,
    },
    {
      name: "restart in a fleet of 3",
      option: "restarts",
      missing: rollingMissing,
      run: rollingRestarts,
    },
    {
      name: "hostile files, 512 MB",
      option: "containers",
      missing: await canLimitMemory() ? undefined : "no memory limit can be set here",
      run: containers,
    },
  ];
}

async function canLimitMemory(): Promise<boolean> {
  await using container = await MemoryContainer.make(512 * MIB);
  return container !== undefined;
}

/** Has servers scan all hostile files in containers with little memory. */
async function containers({ count, progress }: CampaignOptions): Promise<Outcome> {
  for (let done = 1; done <= count; done++) {
    await scanHostileFiles(ALL_HOSTILE);
    progress?.(done);
  }
  return { tried: count, acknowledged: 0, failed: 0 };
}

/** Runs all batches of a kind. Returns its row of the table. */
async function runKind({ name, option, missing, run }: Kind): Promise<string[]> {
  const wanted = Number(values[option] ?? COUNTS[option]);
  if (missing !== undefined) return [name, "0", "0", "0", "0", `skipped: ${missing}`];
  const started = performance.now();
  const total = { tried: 0, acknowledged: 0, failed: 0, backMs: 0 };
  for (let seed = firstSeed; total.tried < wanted; seed++) {
    const count = Math.min(BATCH, wanted - total.tried);
    const progress = (done: number) => showProgress(`${name}: ${total.tried + done} of ${wanted}`);
    try {
      const { tried, acknowledged, failed, backMs = 0 } = await run({ count, seed, progress });
      total.tried += tried;
      total.acknowledged += acknowledged;
      total.failed += failed;
      total.backMs = Math.max(total.backMs, backMs);
    } catch (error) {
      report(error);
      console.error(
        `\nViolation. Repeat with: deno task faults ${
          onlyOption(option, count, seed)
        } --only="${name}"`,
      );
      Deno.exit(1);
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const { tried, acknowledged, failed, backMs } = total;
  const back = backMs === 0 ? "" : `${(backMs / 1000).toFixed(1)} s`;
  return [name, tried, tried, acknowledged, failed, seconds.toFixed(0), back].map(String);
}

/** Prints an error, and the one that it hid while resources were disposed of. */
function report(error: unknown): void {
  if (error instanceof SuppressedError) report(error.suppressed);
  console.error(error instanceof SuppressedError ? error.error : error);
}

/** Options that run one batch of one kind. */
function onlyOption(option: Kind["option"], count: number, seed: number): string {
  const counts = Object.keys(COUNTS).map((it) => `--${it}=${it === option ? count : 0}`);
  return [...counts, `--seed=${seed}`].join(" ");
}

function showProgress(text: string): void {
  if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r${text}  `));
}

function row([name = "", ...columns]: readonly string[]): string {
  return name.padEnd(24) + columns.map((it) => it.padStart(10)).join("");
}
