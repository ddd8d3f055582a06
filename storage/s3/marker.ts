import { joinChunks } from "../../core/content.ts";
import type { ContentLocation } from "../../schemas/content_url.ts";
import { newHash } from "../blobs/hashes.ts";
import type { ObjectTable } from "../ports/object_table.ts";
import type { Bucket } from "./bucket.ts";

/** Fails if no object can be written now. */
export async function probeBucket(bucket: Bucket, { prefix }: ContentLocation): Promise<void> {
  await bucket.probe(`${prefix}probe`, ...body("strongroom"));
}

/**
 * Makes sure that the objects of a prefix are those of one strongroom: an object named `strongroom` has its
 * id. The first start writes it.
 *
 * @throws {Error} when they are those of another one, or the strongroom has its content elsewhere.
 */
export async function requireOwner(
  bucket: Bucket,
  { prefix }: ContentLocation,
  objects: ObjectTable,
): Promise<void> {
  const id = await objects.strongroomId();
  const key = `${prefix}strongroom`;
  const found = await read(bucket, key, id.length + 1);
  if (found === id) return;
  if (found !== undefined) {
    throw new Error("STRONGROOM_CONTENT_URL holds the content of another strongroom");
  }
  if (await objects.hasObjects()) {
    throw new Error("STRONGROOM_CONTENT_URL does not hold the content of this strongroom");
  }
  await bucket.put(key, ...body(id));
}

async function read(bucket: Bucket, key: string, length: number): Promise<string | undefined> {
  const opened = await bucket.open(key, { start: 0, end: length });
  return opened && new TextDecoder().decode(joinChunks(await Array.fromAsync(opened.body)));
}

/** The bytes of a text, and their CRC-32 in Base64. */
function body(text: string): [Uint8Array<ArrayBuffer>, string] {
  const bytes = new TextEncoder().encode(text);
  const crc32 = newHash("crc32");
  crc32.update(bytes);
  return [bytes, new Uint8Array(crc32.digest()).toBase64()];
}
