import { openRepositoryFile } from "../../core/hub/repository_file.ts";
import { auditChange } from "../audit.ts";
import { callerOf } from "../auth.ts";
import { select } from "../conditional.ts";
import { sendFile } from "../download.ts";
import { addHeader } from "../respond.ts";
import type { Services } from "../route.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, revisionOf } from "./replies.ts";

/** `GET` and `HEAD /{repo}/resolve/{rev}/{path}` (C 20). */
export async function resolveFile(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const { raw } = c.req;
  const named = revisionOf(c, mount);
  const path = c.req.param("path") ?? "";
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [`${named.repository.directory}/${path}`] });
  const { facts, download } = await openRepositoryFile(hub, {
    ...named,
    caller: callerOf(c),
    path,
    select: ({ sha256, size, updatedAt }) =>
      select(raw, { etag: `"${sha256}"`, size, modifiedAt: updatedAt }),
    onRevision: (commitId) => addHeader(c, "X-Repo-Commit", commitId),
  });
  const etag = `"${facts.sha256}"`;
  return await sendFile(c, download, {
    ETag: etag,
    "X-Linked-ETag": etag,
    "X-Linked-Size": String(facts.size),
  });
}
