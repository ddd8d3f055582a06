import { copyFile } from "../backup/copy_file.ts";
import { Findings } from "../check/findings.ts";
import { auditPath, secretPath } from "../../disk/data_directory.ts";
import { orMissing, removeFile, syncDirectory } from "../../disk/files.ts";
import { Storage } from "../../stores/storage.ts";
import { type ContentCounts, copyContents, type Side } from "./copy_contents.ts";
import { copyTable, isWhole } from "./copy_rows.ts";
import type { DatabaseRows, LeftBehind } from "./database_rows.ts";
import {
  checkSource,
  holdSource,
  openRows,
  releaseTarget,
  type Strongroom,
  takeTarget,
} from "./strongrooms.ts";
import type { TableSum } from "./table_digest.ts";
import { TABLES } from "./carried_tables.ts";
import type { Table } from "./table.ts";
import { SMALL_CONTENTS } from "./tables.ts";
import { verifyCopy } from "./verify_copy.ts";

export interface MigrateSummary {
  /** How many rows of each table were carried. Empty unless all was. */
  readonly rows: ReadonlyMap<string, number>;
  /** The contents that the target has. */
  readonly contents: Readonly<ContentCounts>;
  readonly leftBehind: LeftBehind;
  /** What is missing or damaged at the source. Then nothing can be served from the target. */
  readonly findings: Findings;
}

/** Called while contents are copied, with what is done of the total. */
export type OnProgress = (done: Readonly<ContentCounts>, total: Readonly<ContentCounts>) => void;

/**
 * Carries a whole strongroom to other engines, and verifies it there (C 23). No server may use either of them
 * meanwhile. The source stays as it is. No server starts at the target before this has ended. If it was
 * interrupted, it can be repeated: contents that have arrived are not read again.
 * See docs/design/migrations.md.
 *
 * @throws {Error} when it cannot be carried.
 */
export async function migrate(
  from: Strongroom,
  to: Strongroom,
  onProgress: OnProgress,
): Promise<MigrateSummary> {
  await checkSource(from);
  await using source = await openSide(from, { acceptUnfinished: false });
  await takeTarget(to);
  // After that: the target must be another database.
  await using _held = await holdSource(from);
  await copyFiles(from, to);
  await prepare(source.rows, to);
  const carried = await (async () => {
    await using target = await openSide(to, { acceptUnfinished: true });
    return await carry(source, target, onProgress);
  })();
  if (carried.findings.found === 0) await releaseTarget(to);
  return carried;
}

async function openSide(
  strongroom: Strongroom,
  { acceptUnfinished }: { acceptUnfinished: boolean },
): Promise<Side & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const { dataDir, options } = strongroom;
  const storage = opened.use(await Storage.open(dataDir, { ...options, acceptUnfinished }));
  const rows = opened.use(await openRows(strongroom));
  const kept = opened.move();
  return { storage, rows, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Copies what is in files of the data directory besides content. */
async function copyFiles(from: Strongroom, to: Strongroom): Promise<void> {
  for (const pathIn of [secretPath, auditPath]) {
    const target = pathIn(to.dataDir);
    await removeFile(target);
    await orMissing(copyFile(pathIn(from.dataDir), target));
  }
  await syncDirectory(to.dataDir);
}

/** Makes the target the same strongroom as the source, without rows: its object store must know whose it is. */
async function prepare(source: DatabaseRows, to: Strongroom): Promise<void> {
  await using rows = await openRows(to);
  await rows.clear();
  await rows.setState(await source.state());
}

async function carry(from: Side, to: Side, onProgress: OnProgress): Promise<MigrateSummary> {
  const findings = new Findings();
  while (!await from.storage.records.history.settle());
  const leftBehind = await from.rows.leftBehind();
  await reportMissing(from.rows, findings);
  const contents = { files: 0, bytes: 0 };
  const total = await from.rows.contentTotals();
  const add = ({ files, bytes }: ContentCounts) => {
    contents.files += files;
    contents.bytes += bytes;
    onProgress(contents, total);
  };
  const onDamage = (hash: string, problem: string) =>
    reportFile(from.rows, findings, hash, problem);
  const sums = new Map<Table, TableSum>();
  const small = await copyTable(SMALL_CONTENTS, {
    from: from.rows,
    to: to.rows,
    async check(rows) {
      const whole = rows.filter(isWhole);
      for (const row of rows) {
        if (whole.includes(row)) add({ files: 1, bytes: Number(row[1]) });
        else await onDamage(String(row[0]), "is damaged");
      }
      return whole;
    },
  });
  sums.set(SMALL_CONTENTS, small);
  await copyContents(from, to, { onCopied: add, onDamage });
  const rows = new Map<string, number>();
  if (findings.found > 0) return { rows, contents, leftBehind, findings };
  for (const table of TABLES) {
    const sum = await copyTable(table, { from: from.rows, to: to.rows });
    sums.set(table, sum);
    rows.set(table.name, sum.rows);
  }
  await to.rows.setState(await from.rows.state());
  await verifyCopy(from, to, sums);
  if (await from.rows.keepsHistory()) await to.storage.records.history.turn(true);
  return { rows, contents, leftBehind, findings };
}

/** Files of whose content the database knows nothing. */
async function reportMissing(rows: DatabaseRows, findings: Findings): Promise<void> {
  for (const { hash } of await rows.withoutContent(1000)) {
    await reportFile(rows, findings, hash, "is missing");
  }
}

async function reportFile(
  rows: DatabaseRows,
  findings: Findings,
  hash: string,
  problem: string,
): Promise<void> {
  const file = await rows.fileOf(hash);
  const owner = file === undefined ? "" : ` of "${file.path}" of user ${file.userId}`;
  findings.add({
    kind: problem === "is missing" ? "missing" : "damaged",
    message: `The content ${hash}${owner} ${problem}`,
    hash,
    ...file !== undefined && { user_id: file.userId, path: file.path },
  });
}
