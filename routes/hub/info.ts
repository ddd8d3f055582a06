import { isoTime } from "../../core/entries.ts";
import { MAIN, requireRevision } from "../../core/hub/repository.ts";
import type { Services } from "../route.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, hubJson, repositoryOf } from "./replies.ts";

/** `GET /api/models/{repo}` and `/revision/{rev}` (C 20). */
export async function showInfo(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const repository = repositoryOf(c, mount);
  const revision = await requireRevision(hub, repository, c.req.param("rev") ?? MAIN);
  return hubJson(c, {
    _id: repository.id,
    id: repository.id,
    sha: revision.commitId,
    lastModified: isoTime(revision.modifiedAt),
    private: true,
  });
}
