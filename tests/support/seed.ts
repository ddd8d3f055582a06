import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { NewRecord, ResourceRecord, ResourceStore } from "../../core/ports.ts";

/** What a test says of a record; the rest is filled in. A path that ends in `/` is a directory. */
export interface Seed {
  readonly path: string;
  readonly userId?: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** What the record says its content is; whether that is stored is another matter. @default "" */
  readonly content?: string;
}

/** Puts records straight into the store, for what no request can make: chosen times, sheer numbers. */
export function seed(
  records: ResourceStore,
  seeds: readonly (Seed | string)[],
): Promise<ResourceRecord[]> {
  return records.write((transaction) => transaction.insert(seeds.map(newRecord)));
}

/** The record that a seed stands for. */
export function newRecord(given: Seed | string): NewRecord {
  const { path, userId = 1, createdAt = 1000, updatedAt = 1000, content = "" } =
    typeof given === "string" ? { path: given } : given;
  const isDir = path.endsWith("/");
  return {
    userId,
    path: isDir ? path.slice(0, -1) : path,
    hash: isDir ? "" : createHash("md5").update(content).digest("hex"),
    size: new TextEncoder().encode(content).length,
    crc32: crc32(content),
    isDir,
    createdAt,
    updatedAt,
  };
}
