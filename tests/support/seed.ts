import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { NewRecord, ResourceRecord, ResourceStore } from "../../core/ports.ts";

/** The fields of a record that a test chooses. A path that ends in `/` is a directory. */
export interface Seed {
  readonly path: string;
  readonly userId?: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** The content that hash and size describe. It is not stored. @default "" */
  readonly content?: string;
}

/** Adds records to the store directly, for chosen times and large numbers. */
export function seed(
  records: ResourceStore,
  seeds: readonly (Seed | string)[],
): Promise<ResourceRecord[]> {
  return records.write((transaction) => transaction.insert(seeds.map(newRecord)));
}

/** The record that a seed describes. */
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
