import { respond } from "../reply/respond.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import type { Handled } from "./replies.ts";

/** Nothing is there. Its name is what it says. */
const ADVICE = "/api/uploads-here-need-HF_HUB_DISABLE_XET=1";

/**
 * `GET /api/models/{repo}/xet-write-token/{rev}` and `xet-read-token` (C 31): clients with `hf_xet` ask for it
 * before they upload. They show no words of a refusal, and do not fall back to Git LFS, but they show the address
 * that has refused: so it is one that says what to do.
 */
export function adviseAgainstXet(
  c: Handled,
  { publicUrl }: Services,
  { base }: Mount,
): Response {
  const { pathname } = new URL(`${publicUrl.for(c)}${base}${ADVICE}`);
  return respond(c, null, 307, { Location: pathname });
}
