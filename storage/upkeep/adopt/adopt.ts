import type { DatabaseAddress } from "../../../schemas/database_url.ts";
import { Bucket } from "../../content/objects/bucket.ts";
import { ownerOf, writeOwner } from "../../content/objects/marker.ts";
import { S3Requests } from "../../content/objects/requests.ts";
import { strongroomState } from "../../postgres/content_place.ts";
import { Database } from "../../postgres/database.ts";
import type { ContentSettings } from "../../stores/opening.ts";

/**
 * Has the objects of a strongroom belong to a database that was restored from a copy (C 23).
 *
 * @returns whether they belonged to another one.
 * @throws {Error} when the objects are not those of the strongroom.
 */
export async function adopt(
  address: DatabaseAddress,
  { location, credentials }: ContentSettings,
): Promise<boolean> {
  await using database = await Database.open(address, { connections: 1, keepsSchema: true });
  const { strongroomId, databaseId } = await strongroomState(database);
  const bucket = new Bucket(new S3Requests(location, credentials));
  const owner = await ownerOf(bucket, location);
  if (owner?.strongroom !== strongroomId) {
    throw new Error("STRONGROOM_CONTENT_URL does not hold the content of this strongroom");
  }
  await writeOwner(bucket, location, { strongroom: strongroomId, database: databaseId });
  return owner.database !== databaseId;
}
