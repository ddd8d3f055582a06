import { planUploads } from "../../core/hub/preupload.ts";
import { Preupload } from "../../schemas/hub_repository.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, hubJson, writableOf } from "./replies.ts";

/**
 * Clients before 1.20 fail when none of their files has changed: below a path such as `/hub`, they cannot read
 * the address that they make for a model. They do not learn what is there, so they commit.
 */
const NEEDS_A_COMMIT = /\bhf_hub\/(?:0|1\.1?\d)\./;

/** `POST /api/models/{repo}/preupload/{rev}` (C 20). */
export async function postPreupload(
  c: Handled,
  { hub }: Services,
  mount: Mount,
): Promise<Response> {
  const repository = await writableOf(c, hub, mount);
  const { files } = await jsonBody(c.req.raw, Preupload);
  const agent = c.req.header("User-Agent") ?? "";
  const showsOid = repository.kind !== "models" || !NEEDS_A_COMMIT.test(agent);
  const planned = await planUploads(hub, { caller: callerOf(c), repository, files });
  return hubJson(c, {
    files: planned.map(({ path, mode, oid = null }) => ({
      path,
      uploadMode: mode,
      shouldIgnore: false,
      oid: showsOid ? oid : null,
    })),
  });
}
