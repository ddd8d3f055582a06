import { type Caller, ownerOf } from "../caller.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import type { S3Service } from "./service.ts";
import type { ResourceRecord } from "../ports.ts";

/**
 * Gives the object of a file other tags. Its content, and what others see of the file, stay as they are.
 *
 * @param change The metadata with the tags, of that without.
 */
export async function tagObject(
  { tree, store }: S3Service,
  { caller, record, change }: {
    readonly caller: Caller;
    readonly record: ResourceRecord;
    readonly change: (metadata: S3Metadata) => S3Metadata;
  },
): Promise<void> {
  const facts = await store.facts(record);
  const metadata = change(facts?.metadata ?? { headers: {}, user: {}, tags: {} });
  const scope = { userId: ownerOf(caller), everyone: false };
  await tree.records.write(async (transaction) => {
    const found = (await transaction.findByPath(scope, [record.path])).get(record.path);
    // Of an object that was just replaced, the tags are gone as well.
    if (found?.id !== record.id || found.hash !== record.hash) return;
    await transaction.keepFacts(found, { etag: facts?.etag, metadata });
  }, { userId: caller.userId });
}
