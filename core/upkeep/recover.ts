import { AppError, quoted } from "../errors.ts";
import type { Log } from "../log.ts";
import type { ContentAmount, FileName, FileNames, UpkeepBlobs, UpkeepRecords } from "./ports.ts";

export interface RecoverOptions {
  readonly records: UpkeepRecords;
  readonly blobs: UpkeepBlobs;
  readonly log: Log;
  /** Whether files without content are accepted. @default false */
  readonly acceptDamage?: boolean;
  /**
   * Whether all content without a record is known to the database, and none is missing. Otherwise all
   * content is compared with all records. @default false
   */
  readonly announced?: boolean;
}

/** The most hashes of unreferenced content that are kept in memory. */
const MAX_UNREFERENCED = 50_000;
/** The most hashes per transaction. */
const MAX_BATCH_HASHES = 256;
/** The most files that a message lists. */
const MAX_LISTED = 20;

/**
 * Makes records and content agree at a start, if they may disagree, such as after a crash. Content that
 * no record has is moved into quarantine (C 5.4). If more can be wrong than a crash explains, content in
 * quarantine that a record has is moved back, and files whose content is missing are refused unless that
 * was accepted, now or at an earlier start (C 22).
 * See docs/design/starts.md.
 *
 * @throws {Error} when content is missing, or the records cannot be read. No content has been moved into
 *   quarantine then.
 */
export async function recover(options: RecoverOptions): Promise<void> {
  const { blobs, announced = false } = options;
  if (blobs.needsSweep && !announced) await giveBack(options);
  while (blobs.needsSweep) {
    const { lost, unreferenced } = await (announced ? listAnnounced(options) : compare(options));
    if (lost.count > 0 && options.acceptDamage !== true) throw lostContent(lost);
    if (lost.count > 0) options.log.warn("Accepted the loss of content", { count: lost.count });
    if (!await quarantine(options, unreferenced)) return;
    blobs.needsSweep = unreferenced.length >= MAX_UNREFERENCED;
  }
}

/** Logs records that no request can name, as earlier versions of the program made some (C 31). */
export async function reportUnnameable(
  { records, log }: Pick<RecoverOptions, "records" | "log">,
): Promise<void> {
  const { count, files } = await records.upkeep.unnameable(MAX_LISTED);
  if (count === 0) return;
  const listed = files.map(({ userId, path }) => `user ${userId}: ${quoted(path)}`).join(", ");
  log.warn(
    "No request can name some records, as white space is at an end of their path. To have them renamed, " +
      'stop all servers and run "strongroom check --repair"',
    { count, records: listed },
  );
}

/** Moves content back that a record has again, such as one of a restored database. */
async function giveBack({ records, blobs, log }: RecoverOptions): Promise<void> {
  let amount: ContentAmount = { count: 0, bytes: 0 };
  for await (const hashes of blobs.quarantine.hashes()) {
    const files = await records.upkeep.filesOf(hashes);
    amount = sum(amount, await blobs.quarantine.giveBack([...files.keys()]));
  }
  if (amount.count > 0) log.info("Moved content back from quarantine", { ...amount });
}

interface Comparison {
  readonly lost: FileNames;
  readonly unreferenced: readonly string[];
}

/** Lists content without a record as far as the database knows it. */
async function listAnnounced({ records }: RecoverOptions): Promise<Comparison> {
  const unreferenced = await records.upkeep.unreferenced(MAX_UNREFERENCED);
  return { lost: { count: 0, files: [] }, unreferenced };
}

/** Compares all content with all records, once. */
async function compare({ records, blobs, acceptDamage }: RecoverOptions): Promise<Comparison> {
  const { upkeep } = records;
  const lost = { count: 0, files: new Array<FileName>() };
  const unreferenced: string[] = [];
  for await (const { prefix, hashes } of blobs.hashes()) {
    const gap = await upkeep.findGap(prefix, hashes);
    const free = MAX_UNREFERENCED - unreferenced.length;
    unreferenced.push(...gap.unreferenced.slice(0, free));
    if (gap.missing.length === 0) continue;
    const missing = await upkeep.newLosses(gap.missing);
    lost.count += missing.length;
    if (acceptDamage === true) await upkeep.acceptLosses(missing);
    const listed = missing.slice(0, MAX_LISTED - lost.files.length);
    lost.files.push(...(await upkeep.filesOf(listed)).values());
  }
  return { lost, unreferenced };
}

/** Returns false if the disk is too full for it. */
async function quarantine(
  { records, blobs, log }: RecoverOptions,
  hashes: readonly string[],
): Promise<boolean> {
  let amount: ContentAmount = { count: 0, bytes: 0 };
  try {
    for (let start = 0; start < hashes.length; start += MAX_BATCH_HASHES) {
      const batch = hashes.slice(start, start + MAX_BATCH_HASHES);
      await records.write(async (transaction) => {
        const unreferenced = await transaction.unreferenced(batch);
        const taken = await blobs.quarantine.take(unreferenced, transaction);
        amount = sum(amount, taken);
      }, { alone: true });
    }
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The next start tries again.
    log.warn("Cannot move content without a record into quarantine", { error });
    return false;
  } finally {
    if (amount.count > 0) {
      log.warn("Moved content without a record into quarantine for 7 days", { ...amount });
    }
  }
}

function sum(a: ContentAmount, b: ContentAmount): ContentAmount {
  return { count: a.count + b.count, bytes: a.bytes + b.bytes };
}

/** The error for a start that would serve files without their content. */
function lostContent(lost: FileNames): Error {
  return new Error(
    `The content of files is missing from the data directory:\n${lostFiles(lost)}\n` +
      "A copy made while a server was writing lacks content. Put back what is missing, or restore a " +
      'backup; "strongroom check" lists all. To go on without, start once with: ' +
      "strongroom serve --accept-damage",
  );
}

/** Some of the files whose content is lost, a line each. */
export function lostFiles({ count, files }: FileNames): string {
  const lines = files.map(({ userId, path }) => `  user ${userId}: ${quoted(path)}`);
  if (count > files.length) lines.push(`  and ${count - files.length} more`);
  return lines.join("\n");
}
