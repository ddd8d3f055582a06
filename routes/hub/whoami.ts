import { permits } from "../../core/caller.ts";
import { callerOf } from "../serving/auth.ts";
import { type Handled, hubJson } from "./replies.ts";

/** The name of a user, which is the namespace of repositories that are made without one. */
export function nameOfUser(userId: number): string {
  return `user-${userId}`;
}

/** `GET /api/whoami-v2` (C 20). */
export function whoAmI(c: Handled): Response {
  const caller = callerOf(c);
  const name = nameOfUser(caller.userId);
  const role = permits(caller, "resources.upload") ? "write" : "read";
  return hubJson(c, {
    type: "user",
    id: String(caller.userId),
    name,
    fullname: name,
    isPro: false,
    orgs: [],
    auth: {
      type: "access_token",
      accessToken: { displayName: caller.jti ?? name, role },
    },
  });
}
