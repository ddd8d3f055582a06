/** Versions of objects of the S3 door, and lists of them. */

import type { RawReply } from "./raw_http.ts";
import type { S3Client } from "./s3_client.ts";
import { textsOf } from "./s3_objects.ts";

/** The versions in a list, as `key id`, with `*` for the latest and `-` for the mark of a deletion. */
export function versionsIn({ body }: RawReply): string[] {
  const items = body.matchAll(/<(Version|DeleteMarker|CommonPrefixes)>(.*?)<\/\1>/g);
  return [...items].map(([, kind, inner = ""]) => {
    const text = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(inner)?.[1] ?? "";
    if (kind === "CommonPrefixes") return text("Prefix");
    const latest = text("IsLatest") === "true" ? "*" : "";
    return `${text("Key")} ${kind === "Version" ? "" : "-"}${text("VersionId")}${latest}`;
  });
}

/** Requests for the versions of objects of the own tree. */
export function versionsOf(client: S3Client) {
  const path = "/s3/own";
  return {
    list: (query: Record<string, string> = {}) =>
      client.request({ method: "GET", path, query: { versions: "", ...query } }),
    read: (key: string, versionId: string) =>
      client.request({ method: "GET", path: `${path}/${key}`, query: { versionId } }),
    remove: (key: string) => client.request({ method: "DELETE", path: `${path}/${key}` }),
    status: async () =>
      textsOf(
        await client.request({ method: "GET", path, query: { versioning: "" } }),
        "Status",
      ),
  };
}

/** The versions in all pages of a list. */
export async function pagesOf(
  { list }: ReturnType<typeof versionsOf>,
  query: Record<string, string>,
): Promise<string[]> {
  const found: string[] = [];
  let place: Record<string, string> = {};
  for (;;) {
    const page = await list({ ...query, ...place });
    found.push(...versionsIn(page));
    const [key] = textsOf(page, "NextKeyMarker");
    if (key === undefined) return found;
    const [id] = textsOf(page, "NextVersionIdMarker");
    place = { "key-marker": key, ...id !== undefined && { "version-id-marker": id } };
  }
}
