import { mirroredCommits, mirroredReferences } from "../../core/mirror/past.ts";
import type { UpstreamCommit } from "../../core/mirror/ports.ts";
import { addHeader } from "../reply/respond.ts";
import { parseQuery } from "../request/query.ts";
import type { Mirrored } from "./mirrored.ts";
import { linkTo } from "./query.ts";
import { referenceList } from "./references.ts";
import { type Handled, hubJson } from "./replies.ts";

/** `GET /api/models/{repo}/refs` of a mirrored repository. */
export async function showMirroredReferences(
  c: Handled,
  { mirror, revision }: Mirrored,
): Promise<Response> {
  const { found, staleSince } = await mirroredReferences(mirror, revision);
  noteStale(c, staleSince);
  return hubJson(c, referenceList(found));
}

/** `GET /api/models/{repo}/commits/{rev}` of a mirrored repository, newest first. */
export async function showMirroredCommits(
  c: Handled,
  { mirror, services, mount, revision }: Mirrored,
): Promise<Response> {
  const [cursor] = parseQuery(c.req.url).get("cursor") ?? [];
  const { found: { items, next }, staleSince } = await mirroredCommits(mirror, revision, cursor);
  noteStale(c, staleSince);
  const page = items.map(commitEntry);
  if (next === undefined) return hubJson(c, page);
  const address = `${mount.kind}/${revision.id}/commits/${revision.commitId}`;
  const link = linkTo(`${services.publicUrl.for(c)}${mount.base}/api/${encodeURI(address)}`, {
    cursor: next,
  });
  return hubJson(c, page, { Link: link });
}

function commitEntry({ id, title, message, time, authors }: UpstreamCommit) {
  const date = new Date(time).toISOString();
  return { id, title, message, date, authors: authors.map((user) => ({ user })) };
}

function noteStale(c: Handled, since: number | undefined): void {
  if (since !== undefined) addHeader(c, "X-Mirror-Stale", new Date(since).toISOString());
}
