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
  /** See {@link Owner.database}. @default it is not compared */
  readonly database?: string | undefined;
}

/**
 * Makes sure that the objects of a prefix are those of one database of one strongroom: an object named
 * `strongroom` names both. The first start writes it.
 *
 * @throws {Error} when they are those of another one, or the strongroom has its content elsewhere.
 */
export async function requireOwner(
  bucket: Bucket,
  location: ContentLocation,
  { objects, isKnown = false, database }: OwnerParts,
): Promise<void> {
  const strongroom = await objects.strongroomId();
  const owner = await ownerOf(bucket, location);
  if (owner === undefined && (isKnown || await objects.hasObjects())) {
    throw new Error("STRONGROOM_CONTENT_URL does not hold the content of this strongroom");
  }
  if (owner !== undefined && owner.strongroom !== strongroom) {
    throw new Error("STRONGROOM_CONTENT_URL holds the content of another strongroom");
  }
  if (database !== undefined) refuseOtherDatabase(owner, database);
  const isNamed = owner !== undefined && (database === undefined || owner.database === database);
  if (!isNamed) await writeOwner(bucket, location, { strongroom, database });
}

/** @throws {Error} when the objects are those of another database. */
export function refuseOtherDatabase(owner: Owner | undefined, database: string): void {
  if (owner?.database === undefined || owner.database === database) return;
  throw new Error(
    "The objects of STRONGROOM_CONTENT_URL belong to another database than STRONGROOM_DATABASE_URL, " +
      "which is a copy of it: what one deletes, the other lacks. Copy the objects as well, or, if the " +
      "other one is not used any more, run: strongroom adopt",
  );
}

/** Has the objects of a prefix belong to a database. */
export async function writeOwner(
  bucket: Bucket,
  { prefix }: ContentLocation,
  { strongroom, database }: Owner,
): Promise<void> {
  const text = [strongroom, ...database === undefined ? [] : [database]].join("\n");
  await bucket.put(`${prefix}strongroom`, ...body(text));
}

/** Whose the objects of a prefix are; undefined if they are no strongroom's. */
export async function ownerOf(
  bucket: Bucket,
  { prefix }: Pick<ContentLocation, "prefix">,
): Promise<Owner | undefined> {
  const opened = await bucket.open(`${prefix}strongroom`, { start: 0, end: MAX_BYTES });
  if (opened === undefined) return undefined;
  const text = new TextDecoder().decode(joinChunks(await Array.fromAsync(opened.body)));
  const [strongroom = "", database] = text.split("\n");
  return { strongroom, database };
}

/** The bytes of a text, and their CRC-32 in Base64. */
function body(text: string): [Uint8Array<ArrayBuffer>, string] {
  const bytes = new TextEncoder().encode(text);
  const crc32 = newHash("crc32");
  crc32.update(bytes);
  return [bytes, new Uint8Array(crc32.digest()).toBase64()];
}
