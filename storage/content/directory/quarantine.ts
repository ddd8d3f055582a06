import { dirname } from "node:path/posix";
import type { ContentChanges } from "../../../core/content_changes.ts";
import type { ContentAmount, Quarantine } from "../../../core/upkeep/ports.ts";
import {
  orMissing,
  orMissingSync,
  removeFile,
  syncDirectory,
  writeSynced,
} from "../../disk/files.ts";
import { asStorageFull } from "../../disk/storage_full.ts";
import type { ContentTable } from "../content_table.ts";
import { isDigest } from "../paths.ts";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 7;
const BATCH_HASHES = 500;
/** The name of a directory: a day in UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Content that is not in files. */
export type SmallContents = Pick<ContentTable, "bytesOf" | "sizeOf">;

/** A transaction in which files are taken. */
interface FileRemoval {
  readonly contents: Pick<ContentChanges, "remove">;
}

export interface QuarantineParts {
  readonly contents: SmallContents;
  /** The path at which content is stored in a file. */
  readonly pathOf: (hash: string) => string;
}

/** Keeps content that no record had in `quarantine/`, in a directory for each day (C 22). */
export class QuarantineDirectory implements Quarantine {
  readonly #root: string;
  readonly #parts: QuarantineParts;

  constructor(dataDir: string, parts: QuarantineParts) {
    this.#root = rootIn(dataDir);
    this.#parts = parts;
  }

  async take(hashes: readonly string[], { contents }: FileRemoval): Promise<ContentAmount> {
    const amount = { count: 0, bytes: 0 };
    if (hashes.length === 0) return amount;
    try {
      const day = `${this.#root}/${new Date().toISOString().slice(0, 10)}`;
      await Deno.mkdir(day, { recursive: true, mode: 0o700 });
      for (const hash of hashes) {
        const size = await this.#take(hash, `${day}/${hash}`);
        if (size !== undefined) add(amount, size);
      }
      await syncDirectory(day);
      await syncDirectory(this.#root);
      await contents.remove(hashes);
    } catch (error) {
      throw asStorageFull(error);
    }
    return amount;
  }

  async giveBack(hashes: readonly string[]): Promise<ContentAmount> {
    const amount = { count: 0, bytes: 0 };
    const directories = new Set<string>();
    const days = await daysIn(this.#root);
    for (const hash of hashes) {
      const to = this.#parts.pathOf(hash);
      const from = this.#find(hash, days);
      if (from === undefined) continue;
      if (await this.#parts.contents.sizeOf(hash) !== undefined) continue;
      if (await orMissing(Deno.lstat(to)) !== undefined) continue;
      await Deno.mkdir(dirname(to), { recursive: true, mode: 0o700 });
      directories.add(dirname(dirname(to))).add(dirname(to));
      const size = await moveFile(from, to);
      if (size !== undefined) add(amount, size);
    }
    await Promise.all([...directories].map(syncDirectory));
    return amount;
  }

  hashes(): AsyncGenerator<readonly string[]> {
    return hashesIn(this.#root);
  }

  async removeExpired(now: number): Promise<ContentAmount> {
    const amount = { count: 0, bytes: 0 };
    for (const day of await daysIn(this.#root)) {
      // Content may have come at the end of the day.
      if (now - Date.parse(day) < (KEPT_DAYS + 1) * DAY_MS) continue;
      for await (const { name, isFile } of Deno.readDir(`${this.#root}/${day}`)) {
        if (!isFile || !isDigest(name)) continue;
        const path = `${this.#root}/${day}/${name}`;
        const { size } = await Deno.lstat(path);
        await removeFile(path);
        add(amount, size);
      }
      await this.#removeIfEmpty(`${this.#root}/${day}`);
    }
    return amount;
  }

  /** Moves content to a file, and returns its size, or undefined if it is missing. */
  async #take(hash: string, to: string): Promise<number | undefined> {
    const { contents, pathOf } = this.#parts;
    const bytes = await contents.bytesOf(hash);
    if (bytes === undefined) return await moveFile(pathOf(hash), to);
    await writeSynced(to, bytes);
    return bytes.length;
  }

  /** The path of the content that came last. */
  #find(hash: string, days: readonly string[]): string | undefined {
    const paths = days.map((day) => `${this.#root}/${day}/${hash}`);
    return paths.find((path) => orMissingSync(() => Deno.lstatSync(path)) !== undefined);
  }

  async #removeIfEmpty(path: string): Promise<void> {
    for await (const _ of Deno.readDir(path)) return;
    await Deno.remove(path);
  }
}

function add(amount: { count: number; bytes: number }, bytes: number): void {
  amount.count++;
  amount.bytes += bytes;
}

/** The hashes of all content in the quarantine of a data directory, in batches. */
export function quarantinedHashes(dataDir: string): AsyncGenerator<readonly string[]> {
  return hashesIn(rootIn(dataDir));
}

async function* hashesIn(root: string): AsyncGenerator<readonly string[]> {
  for (const day of await daysIn(root)) {
    let batch: string[] = [];
    for await (const { name } of Deno.readDir(`${root}/${day}`)) {
      if (isDigest(name)) batch.push(name);
      if (batch.length < BATCH_HASHES) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
}

/** The days with content, the latest first. */
async function daysIn(root: string): Promise<string[]> {
  const days: string[] = [];
  const entries = await orMissing(Array.fromAsync(Deno.readDir(root))) ?? [];
  for (const { name, isDirectory } of entries) if (isDirectory && DAY.test(name)) days.push(name);
  return days.sort().reverse();
}

/** Moves a file if it exists, and returns its size. */
async function moveFile(from: string, to: string): Promise<number | undefined> {
  const info = await orMissing(Deno.lstat(from));
  if (info === undefined) return undefined;
  await Deno.rename(from, to);
  return info.size;
}

/** The paths at which a content may be in quarantine. */
export function quarantinePaths(dataDir: string, hash: string): string[] {
  const root = rootIn(dataDir);
  const entries = orMissingSync(() => [...Deno.readDirSync(root)]) ?? [];
  return entries.filter(({ name }) => DAY.test(name)).map(({ name }) => `${root}/${name}/${hash}`);
}

function rootIn(dataDir: string): string {
  return `${dataDir}/quarantine`;
}
