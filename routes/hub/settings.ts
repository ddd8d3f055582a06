import { AppError, quoted } from "../../core/errors.ts";
import { RepositorySettings } from "../../schemas/hub_repository.ts";
import { jsonBody } from "../request/body.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { existingOf, type Handled, hubJson } from "./replies.ts";

/**
 * `PUT /api/models/{repo}/settings` (C 31): every repository is private and not gated by a person, so a request
 * that wants that has nothing to change, and any other is refused.
 */
export async function putSettings(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const { id } = await existingOf(c, hub, mount);
  const { private: isPrivate, visibility, gated } = await jsonBody(c.req.raw, RepositorySettings);
  if (isPrivate === false || (visibility ?? "private") !== "private") {
    throw refusal(id, "all repositories are private; let others in by a shared tree or a link");
  }
  if (gated !== undefined && gated !== false) {
    throw refusal(id, "nobody asks for access here; scans decide what can be downloaded");
  }
  return hubJson(c, { private: true, gated: false });
}

function refusal(id: string, why: string): AppError {
  return new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot change the settings of ${quoted(id)}: ${why}`,
  );
}
