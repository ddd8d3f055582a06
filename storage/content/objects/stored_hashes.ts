import type { HashRange } from "../../../core/blob_store.ts";
import type { ContentLocation } from "../../../schemas/content_url.ts";
import { PREFIXES } from "../paths.ts";
import type { ObjectTable } from "../object_table.ts";
import type { Bucket } from "./bucket.ts";

/** The hashes of all content that is stored. Content whose object is not in the bucket is missing. */
export async function* storedHashes(
  bucket: Bucket,
  location: ContentLocation,
  objects: ObjectTable,
): AsyncGenerator<HashRange> {
  const missing = new Set<string>();
  for (const digits of PREFIXES) {
    const prefix = `${location.prefix}${digits}/`;
    const found = new Set<string>();
    for await (const page of bucket.list(prefix)) for (const { key } of page) found.add(key);
    for (const { hash, object } of await objects.contentsIn(prefix)) {
      if (!found.has(object)) missing.add(hash);
    }
  }
  for (const prefix of PREFIXES) {
    const hashes = await objects.hashesBelow(prefix);
    yield { prefix, hashes: hashes.filter((hash) => !missing.has(hash)) };
  }
}
