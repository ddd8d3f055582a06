import { deleteObjects } from "../../core/s3/delete_objects.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import type { XmlElement } from "../request/xml.ts";
import { element, type Xml, xmlReply } from "./reply.ts";
import type { Handled } from "./target.ts";
import { childrenOf, childText, malformed, requiredText, xmlOf } from "./xml_body.ts";

const MAX_KEYS = 1000;

/** `POST /s3/{bucket}?delete`: DeleteObjects. A key that cannot be a path is refused by itself. */
export async function deleteMany(c: Handled, { s3 }: Services) {
  const document = await xmlOf(c, "Delete");
  const objects = childrenOf(document, "Object");
  if (objects.length === 0 || objects.length > MAX_KEYS) {
    throw malformed(`There are ${objects.length} keys, expected 1 to ${MAX_KEYS}`);
  }
  const isQuiet = childText(document, "Quiet")?.trim() === "true";
  const keys: string[] = [];
  const results: Xml[] = [];
  for (const object of objects) {
    const key = requiredText(object, "Key");
    const refusal = refusalOf(key, object);
    if (refusal === undefined) keys.push(key);
    else results.push(errorElement(key, refusal));
  }
  auditChange(c, { paths: keys });
  const changes = await deleteObjects(s3, { caller: callerOf(c), keys });
  auditChange(c, { paths: keys, records: changedOwners(changes) });
  if (!isQuiet) {
    results.push(...keys.map((key) => element("Deleted", [element("Key", key)])));
  }
  return xmlReply(c, "DeleteResult", results);
}

/** What only the object of that state is to be deleted by. */
const CONDITIONS = ["VersionId", "ETag", "LastModifiedTime", "Size"];

function refusalOf(key: string, object: XmlElement): S3Error | undefined {
  const condition = CONDITIONS.find((name) => childText(object, name) !== undefined);
  if (condition !== undefined) {
    return new S3Error("NotImplemented", `The element ${condition} is not offered here`);
  }
  try {
    pathOfKey(key);
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
}

function errorElement(key: string, { code, message }: S3Error): Xml {
  return element("Error", [
    element("Key", key),
    element("Code", code),
    element("Message", message),
  ]);
}
