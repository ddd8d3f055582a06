import { AppError } from "../../core/errors.ts";
import {
  createBranch,
  createTag,
  deleteBranch,
  deleteTag,
  type Reference,
  referencesOf,
} from "../../core/hub/branches.ts";
import { commitsOf, type RepositoryCommit } from "../../core/hub/past_revisions.ts";
import { requireRevision } from "../../core/hub/read_revision.ts";
import { MAIN } from "../../core/hub/repository.ts";
import { NewBranch, NewTag } from "../../schemas/hub_references.ts";
import { jsonBody } from "../request/body.ts";
import { integerOf, parseQuery } from "../request/query.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { linkTo } from "./query.ts";
import { existingOf, type Handled, hubJson, revisionOf } from "./replies.ts";
import { nameOfUser } from "./whoami.ts";

/** `GET /api/models/{repo}/refs` (C 26): branches and tags. */
export async function showReferences(
  c: Handled,
  { hub }: Services,
  mount: Mount,
): Promise<Response> {
  const repository = await existingOf(c, hub, mount);
  return hubJson(c, referenceList(await referencesOf(hub, callerOf(c), repository)));
}

/** Branches and tags, as clients read them. */
export function referenceList(
  { branches, tags }: {
    readonly branches: readonly Reference[];
    readonly tags: readonly Reference[];
  },
) {
  const named = (kind: string) => ({ name, commitId }: Reference) => ({
    name,
    ref: `refs/${kind}/${name}`,
    targetCommit: commitId,
  });
  return {
    branches: branches.map(named("heads")),
    converts: [],
    tags: tags.map(named("tags")),
    pullRequests: [],
  };
}

/** The commits of a page. Each takes some milliseconds the first time. */
const PAGE_COMMITS = 50;
const VERSIONS = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** `GET /api/models/{repo}/commits/{rev}` (C 26): newest first. */
export async function showCommits(
  c: Handled,
  { hub, publicUrl }: Services,
  mount: Mount,
): Promise<Response> {
  const { repository: named, revision } = revisionOf(c, mount);
  const found = await requireRevision(hub, named, revision);
  const { history } = hub.tree.records;
  const cursor = integerOf(parseQuery(c.req.url), "cursor", VERSIONS);
  const from = cursor ?? found.past?.version;
  const commits: RepositoryCommit[] = [];
  try {
    if (history !== undefined && found.past?.tag === undefined) {
      const room = { left: 2 * PAGE_COMMITS };
      for await (const commit of commitsOf(hub, history, found.repository, { room, from })) {
        // A version may have changed nothing that the clients see.
        if (commits.at(-1)?.commitId === commit.commitId) commits.pop();
        commits.push(commit);
        if (commits.length > PAGE_COMMITS) break;
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "ErrVersionsNotFound") throw error;
  }
  if (commits.length === 0) {
    const date = new Date(found.modifiedAt).toISOString();
    const title = "The present state (earlier ones are not kept)";
    return hubJson(c, [{ id: found.commitId, title, message: "", date, authors: [] }]);
  }
  const next = commits[PAGE_COMMITS];
  const page = commits.slice(0, PAGE_COMMITS).map(commitEntry);
  if (next === undefined) return hubJson(c, page);
  const { kind, base } = mount;
  const address = `${kind}/${named.id}/commits/${revision}`;
  const link = linkTo(`${publicUrl.for(c)}${base}/api/${encodeURI(address)}`, {
    cursor: String(next.version),
  });
  return hubJson(c, page, { Link: link });
}

function commitEntry({ commitId, message, time, author }: RepositoryCommit) {
  const [title = "", ...lines] = (message ?? "Change of the files").split("\n");
  return {
    id: commitId,
    title,
    message: lines.join("\n").trim(),
    date: new Date(time).toISOString(),
    authors: [{ user: nameOfUser(author) }],
  };
}

/** `POST /api/models/{repo}/branch/{+rev}` (C 26). */
export async function postBranch(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const { repository, name } = named(c, mount);
  const body = await jsonBody(c.req.raw, NewBranch);
  const revision = body.startingPoint ?? MAIN;
  auditChange(c, { paths: [`${repository.directory}@${name}`], details: { revision } });
  await createBranch(hub, { caller: callerOf(c), repository, name, revision });
  return hubJson(c, {});
}

/** `DELETE /api/models/{repo}/branch/{+rev}` (C 26). */
export async function removeBranch(
  c: Handled,
  { hub }: Services,
  mount: Mount,
): Promise<Response> {
  const { repository, name } = named(c, mount);
  auditChange(c, { paths: [`${repository.directory}@${name}`] });
  await deleteBranch(hub, { caller: callerOf(c), repository, name });
  return hubJson(c, {});
}

/** `POST /api/models/{repo}/tag/{+rev}` (C 26): the revision is in the address, the name in the body. */
export async function postTag(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const { repository, name: revision } = named(c, mount);
  const { tag, message } = await jsonBody(c.req.raw, NewTag);
  auditChange(c, { paths: [repository.directory], details: { tag, revision } });
  await createTag(hub, {
    ...{ caller: callerOf(c), repository, name: tag, revision },
    message: message ?? undefined,
  });
  return hubJson(c, {});
}

/** `DELETE /api/models/{repo}/tag/{+rev}` (C 26). */
export async function removeTag(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const { repository, name } = named(c, mount);
  auditChange(c, { paths: [repository.directory], details: { tag: name } });
  await deleteTag(hub, { caller: callerOf(c), repository, name });
  return hubJson(c, {});
}

/** `POST /api/models/{repo}/super-squash/{+rev}` (C 26): what a commit id names does not change. */
export function refuseSquash(): Promise<Response> {
  return Promise.reject(
    new AppError(
      "ErrHubNotOffered",
      "Not offered here: the history of a repository is not rewritten",
    ),
  );
}

/** The repository, and the name at the end of the address. */
function named(c: Handled, mount: Mount) {
  const { repository, revision } = revisionOf(c, mount);
  return { repository, name: revision };
}

/** `GET /api/models/{repo}/auth-check` (C 31): whether the caller may read the repository. */
export async function checkAccess(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  await existingOf(c, hub, mount);
  return hubJson(c, {});
}
