import { dirname } from "node:path/posix";
import type { ContentAmount, Quarantine } from "../../core/upkeep/ports.ts";
import {
  makeDirectorySync,
  orMissing,
  orMissingSync,
  removeFile,
  syncDirectory,
} from "../disk/files.ts";
import { asStorageFull } from "../disk/storage_full.ts";
import { isDigest } from "./paths.ts";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_DAYS = 7;
const BATCH_HASHES = 500;
/** The name of a directory: a day in UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Keeps content that no record had in `quarantine/`, in a directory for each day (C 22). */
export class QuarantineDirectory implements Quarantine {
  readonly #root: string;
  readonly #pathOf: (hash: string) => string;

  /** @param pathOf The path at which content is stored. */
  constructor(dataDir: string, pathOf: (hash: string) => string) {
    this.#root = rootIn(dataDir);
    this.#pathOf = pathOf;
  }

  async take(hashes: readonly string[]): Promise<ContentAmount> {
    const amount = { count: 0, bytes: 0 };
    if (hashes.length === 0) return amount;
    try {
      makeDirectorySync(this.#root);
      const day = `${this.#root}/${new Date().toISOString().slice(0, 10)}`;
      makeDirectorySync(day);
      for (const hash of hashes) {
        const size = await moveFile(this.#pathOf(hash), `${day}/${hash}`);
        if (size !== undefined) add(amount, size);
      }
      await syncDirectory(day);
      await syncDirectory(this.#root);
    } catch (error) {
      throw asStorageFull(error);
    }
    return amount;
  }

  async giveBack(hashes: readonly string[]): Promise<ContentAmount> {
    const amount = { count: 0, bytes: 0 };
    const directories = new Set<string>();
    const days = await this.#days();
    for (const hash of hashes) {
      const to = this.#pathOf(hash);
      const from = this.#find(hash, days);
      if (from === undefined || await orMissing(Deno.lstat(to)) !== undefined) continue;
      for (const directory of [dirname(dirname(to)), dirname(to)]) {
        makeDirectorySync(directory);
        directories.add(directory);
      }
      const size = await moveFile(from, to);
      if (size !== undefined) add(amount, size);
    }
    await Promise.all([...directories].map(syncDirectory));
    return amount;
  }

  /** Returns those of the hashes whose content is here. */
  async held(hashes: readonly string[]): Promise<string[]> {
    const days = await this.#days();
    return hashes.filter((hash) => this.#find(hash, days) !== undefined);
  }

  async *hashes(): AsyncGenerator<readonly string[]> {
    for (const day of await this.#days()) {
      let batch: string[] = [];
      for await (const { name } of Deno.readDir(`${this.#root}/${day}`)) {
        if (isDigest(name)) batch.push(name);
        if (batch.length < BATCH_HASHES) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    }
  }

  async removeExpired(now: number): Promise<ContentAmount> {
    const amount = { count: 0, bytes: 0 };
    for (const day of await this.#days()) {
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

  /** The path of the content that came last. */
  #find(hash: string, days: readonly string[]): string | undefined {
    const paths = days.map((day) => `${this.#root}/${day}/${hash}`);
    return paths.find((path) => orMissingSync(() => Deno.lstatSync(path)) !== undefined);
  }

  /** The days with content, the latest first. */
  async #days(): Promise<string[]> {
    const days: string[] = [];
    const entries = await orMissing(Array.fromAsync(Deno.readDir(this.#root))) ?? [];
    for (const { name, isDirectory } of entries) if (isDirectory && DAY.test(name)) days.push(name);
    return days.sort().reverse();
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
