import type { ContentSettings } from "../../stores/opening.ts";
import { Bucket } from "../../content/objects/bucket.ts";
import { ownerOf, refuseOtherDatabase } from "../../content/objects/marker.ts";
import { S3Requests } from "../../content/objects/requests.ts";
import { type AuditSource, ObjectAudit } from "../../tables/object_audit.ts";
import type { CheckedObjects } from "./subject.ts";

/**
 * Opens the objects of a strongroom for a check. Changes nothing in the store.
 *
 * @param database The database whose objects they must be. @default that of a copy may be checked, too
 * @throws {Error} when the store cannot be read, or holds the content of another strongroom.
 */
export async function openObjects(
  { location, credentials }: ContentSettings,
  source: AuditSource,
  database?: string,
): Promise<CheckedObjects> {
  const objects = new ObjectAudit(source);
  if (await objects.hasFiles()) {
    throw new Error(
      "Content is in files of the data directory, not in STRONGROOM_CONTENT_URL: unset it",
    );
  }
  const bucket = new Bucket(new S3Requests(location, credentials));
  const owner = await ownerOf(bucket, location);
  if (owner?.strongroom === await objects.strongroomId()) {
    if (database !== undefined) refuseOtherDatabase(owner, database);
    return { objects, bucket, location };
  }
  throw new Error(
    owner === undefined
      ? "STRONGROOM_CONTENT_URL does not hold the content of this strongroom"
      : "STRONGROOM_CONTENT_URL holds the content of another strongroom",
  );
}
