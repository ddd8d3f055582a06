import { type Chunk, joinChunks } from "../../core/content.ts";
import { RetryLater } from "../../core/errors.ts";
import { type ReadPlace, readRevision } from "../../core/hub/read_revision.ts";
import type { Hub, Repository } from "../../core/hub/repository.ts";
import type { FileIssue, RepositoryPage } from "../../core/hub/store.ts";
import { parseQuery, type Query } from "../request/query.ts";
import type { Services } from "../serving/route.ts";
import { streamed } from "../reply/streamed.ts";
import type { Mount } from "./hub_route.ts";
import { flagOf, MAX_PAGE_RECORDS } from "./query.ts";
import { type Handled, hubBytes, revisionOf } from "./replies.ts";
import { summaryOf } from "./repositories.ts";

/** The most files that the security status of a repository names. */
const MAX_ISSUES = 1000;
/** When to ask again for a repository that changes while it is listed, in seconds. */
const RETRY_AFTER_S = 1;

const encoder = new TextEncoder();

/** `GET /api/models/{repo}` and `/revision/{rev}` (C 20). */
export async function showInfo(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const query = parseQuery(c.req.url);
  const named = revisionOf(c, mount);
  const found = await readRevision(hub, named, async (revision, record, place) => {
    const { request, hasSiblings } = siblingsRequest(hub, place, query);
    const page = hasSiblings ? await hub.store.page(request) : undefined;
    return { revision, record, request, page };
  });
  const { revision, record, request, page } = found;
  const fields = {
    ...summaryOf(mount.kind, {
      id: named.repository.id,
      createdAt: record.createdAt,
      updatedAt: Math.max(record.updatedAt, revision.modifiedAt),
    }),
    sha: revision.commitId,
  };
  if (page === undefined) return hubBytes(c, encoder.encode(JSON.stringify(fields)));
  return await sendInfo(c, fields, {
    ...{ first: page, security: request.form.security },
    async pageAfter(after) {
      const page = await hub.store.page({ ...request, after });
      const isPast = request.past !== undefined;
      if (isPast || await hub.revisions.isCurrent(request, revision)) return page;
      throw new RetryLater("ErrUnavailable", "The repository has changed", RETRY_AFTER_S);
    },
  });
}

/** The files of a repository, page by page. */
export interface Siblings {
  readonly first: RepositoryPage;
  readonly pageAfter: (after: string) => Promise<RepositoryPage>;
  /** Whether the security status is asked for. */
  readonly security: boolean;
}

/** Replies with what is known of a repository, and with its files as they are read. */
export async function sendInfo(c: Handled, fields: object, siblings: Siblings): Promise<Response> {
  const parts = infoParts(fields, siblings);
  if (siblings.first.next === undefined) {
    return hubBytes(c, joinChunks(await Array.fromAsync(parts)));
  }
  return await streamed(c, parts, { headers: { "Content-Type": "application/json" } });
}

/** The JSON of an object with the fields, the siblings and, if asked for, the security status. */
async function* infoParts(
  fields: object,
  { first, pageAfter, security }: Siblings,
): AsyncGenerator<Chunk, undefined> {
  const issues: FileIssue[] = [];
  let unscanned = 0;
  yield encoder.encode(`${JSON.stringify(fields).slice(0, -1)},"siblings":[`);
  let isFirst = true;
  for (let page: RepositoryPage | undefined = first; page !== undefined;) {
    if (page.count > 0) {
      yield isFirst ? page.text.subarray(1) : page.text;
      isFirst = false;
    }
    issues.push(...page.issues.slice(0, MAX_ISSUES - issues.length));
    unscanned += page.unscanned;
    page = page.next === undefined ? undefined : await pageAfter(page.next);
  }
  const status = { scansDone: unscanned === 0, filesWithIssues: issues };
  yield encoder.encode(`]${security ? `,"securityRepoStatus":${JSON.stringify(status)}` : ""}}`);
  return undefined;
}

function siblingsRequest(hub: Hub, { repository, past }: ReadPlace, query: Query) {
  const expanded = query.get("expand") ?? query.get("expand[]");
  const request = {
    ...directoryOf(repository),
    past,
    form: {
      kind: "siblings",
      blobs: flagOf(query, "blobs"),
      security: flagOf(query, "securityStatus") ||
        expanded?.includes("securityRepoStatus") === true,
      unscannedAs: hub.tree.verdicts.shown("unscanned"),
    },
    below: repository.directory,
    recursive: true,
    after: "",
    limit: MAX_PAGE_RECORDS,
  } as const;
  // A client that names what it wants need not want the files.
  const hasSiblings = expanded === undefined || expanded.includes("siblings") ||
    request.form.security;
  return { request, hasSiblings };
}

function directoryOf({ userId, directory }: Repository) {
  return { userId, directory };
}
