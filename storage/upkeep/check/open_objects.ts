import type { ContentSettings } from "../../stores/opening.ts";
import { Bucket } from "../../content/objects/bucket.ts";
import { ownerOf } from "../../content/objects/marker.ts";
import { S3Requests } from "../../content/objects/requests.ts";
import { type AuditSource, ObjectAudit } from "../../tables/object_audit.ts";
import type { CheckedObjects } from "./subject.ts";

/**
 * Opens the objects of a strongroom for a check. Changes nothing in the store.
 *
 * @throws {Error} when the store cannot be read, or holds the content of another strongroom.
 */
export async function openObjects(
  { location, credentials }: ContentSettings,
  source: AuditSource,
): Promise<CheckedObjects> {
  const objects = new ObjectAudit(source);
  if (await objects.hasFiles()) {
    throw new Error(
      "Content is in files of the data directory, not in STRONGROOM_CONTENT_URL: unset it",
    );
  }
  const bucket = new Bucket(new S3Requests(location, credentials));
  const owner = await ownerOf(bucket, location);
  if (owner === await objects.strongroomId()) return { objects, bucket, location };
  throw new Error(
    owner === undefined
      ? "STRONGROOM_CONTENT_URL does not hold the content of this strongroom"
      : "STRONGROOM_CONTENT_URL holds the content of another strongroom",
  );
}
