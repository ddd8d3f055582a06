import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ContentTable } from "../../storage/content/content_table.ts";
import { IN_SQLITE } from "./engines.ts";
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
export async function seed(
  records: ResourceStore,
  seeds: readonly (Seed | string)[],
): Promise<ResourceRecord[]> {
  const added = seeds.map(newRecord);
  // PostgreSQL refuses records without a row of their content.
  if (!IN_SQLITE && hasContents(records)) {
    const files = added.filter(({ isDir }) => !isDir);
    await records.contents.announce(
      files.map((file) => ({ ...file, sha256: new Uint8Array(32), bytes: undefined })),
    );
  }
  const userId = added[0]?.userId;
  return await records.write((transaction) => transaction.insert(added), { userId });
}

function hasContents(
  records: ResourceStore,
): records is ResourceStore & { readonly contents: ContentTable } {
  return "contents" in records;
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
