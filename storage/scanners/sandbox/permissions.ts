import { threadPermissions } from "../../threads/permissions.ts";

const KINDS = ["env", "ffi", "import", "net", "read", "run", "sys", "write"] as const;

/** The permissions of a worker that may read at most what its parent may, and do nothing else. */
export const READ_ONLY = threadPermissions({ read: "inherit" });

/** Gives up all permissions of this thread for good, if it does not share them with its parent. */
export function revokePermissions(): void {
  for (const name of KINDS) Deno.permissions.revokeSync({ name });
}
