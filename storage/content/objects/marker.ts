import { joinChunks } from "../../../core/content.ts";
import type { ContentLocation } from "../../../schemas/content_url.ts";
import { newHash } from "../hashes.ts";
import type { ObjectTable } from "../object_table.ts";
import type { Bucket } from "./bucket.ts";

/** What names an owner is shorter. */
const MAX_BYTES = 200;

/** The name of the object that probes write. */
export function probeKey({ prefix }: ContentLocation): string {
  return `${prefix}probe`;
}

/** Fails if no object can be written now. */
export async function probeBucket(bucket: Bucket, location: ContentLocation): Promise<void> {
  await bucket.probe(probeKey(location), ...body("strongroom"));
}

/** Whose the objects of a prefix are. */
export interface Owner {
  /** The id of the strongroom. */
  readonly strongroom: string;
  /** The database that names them, if several can have the id: a restored copy has it, too. */
  readonly database: string | undefined;
}

/** What {@link requireOwner} compares with. */
export interface OwnerParts {
  readonly objects: Pick<ObjectTable, "strongroomId" | "hasObjects">;
  /** Whether the database knows that its content is there. @default false */
  readonly isKnown?: boolean;
  /** See {@link Owner.database}. */
  readonly database?: string | undefined;
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
  { objects, isKnown = false }: { readonly objects: ObjectTable; readonly isKnown?: boolean },
): Promise<void> {
  const id = await objects.strongroomId();
  const found = await ownerOf(bucket, { prefix });
  if (found === id) return;
  if (found !== undefined) {
    throw new Error("STRONGROOM_CONTENT_URL holds the content of another strongroom");
  }
  if (isKnown || await objects.hasObjects()) {
    throw new Error("STRONGROOM_CONTENT_URL does not hold the content of this strongroom");
  }
  await bucket.put(`${prefix}strongroom`, ...body(id));
}

/** The id of the strongroom whose objects a prefix has; undefined if they are those of none. */
export async function ownerOf(
  bucket: Bucket,
  { prefix }: Pick<ContentLocation, "prefix">,
): Promise<string | undefined> {
  const opened = await bucket.open(`${prefix}strongroom`, { start: 0, end: MAX_ID_BYTES });
  return opened && new TextDecoder().decode(joinChunks(await Array.fromAsync(opened.body)));
}

/** The bytes of a text, and their CRC-32 in Base64. */
function body(text: string): [Uint8Array<ArrayBuffer>, string] {
  const bytes = new TextEncoder().encode(text);
  const crc32 = newHash("crc32");
  crc32.update(bytes);
  return [bytes, new Uint8Array(crc32.digest()).toBase64()];
}
