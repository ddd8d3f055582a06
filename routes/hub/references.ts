import { MAIN, requireRevision } from "../../core/hub/repository.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { existingOf, type Handled, hubJson, revisionOf } from "./replies.ts";

/** `GET /api/models/{repo}/refs` (C 31): the one branch, as there is no history. */
export async function showReferences(
  c: Handled,
  { hub }: Services,
  mount: Mount,
): Promise<Response> {
  const { repository, revision } = revisionOf(c, mount);
  const { commitId } = await requireRevision(hub, repository, revision);
  const branch = { name: MAIN, ref: `refs/heads/${MAIN}`, targetCommit: commitId };
  return hubJson(c, { branches: [branch], converts: [], tags: [], pullRequests: [] });
}

/** `GET /api/models/{repo}/commits/{rev}` (C 31): the present commit, as there is no history. */
export async function showCommits(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const { repository, revision } = revisionOf(c, mount);
  const { commitId, modifiedAt } = await requireRevision(hub, repository, revision);
  const date = new Date(modifiedAt).toISOString();
  const title = "The present state (earlier ones are not kept)";
  return hubJson(c, [{ id: commitId, title, message: "", date, authors: [] }]);
}

/** `GET /api/models/{repo}/auth-check` (C 31): whether the caller may read the repository. */
export async function checkAccess(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  await existingOf(c, hub, mount);
  return hubJson(c, {});
}
