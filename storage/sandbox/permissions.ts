const KINDS = ["env", "ffi", "import", "net", "run", "sys", "write"] as const;

/** The permissions of a worker that may read at most what its parent may, and do nothing else. */
export const READ_ONLY = {
  env: false,
  ffi: false,
  import: false,
  net: false,
  run: false,
  sys: false,
  write: false,
  read: "inherit",
} as const;

/** Gives up all permissions of this thread for good, if it does not share them with its parent. */
export function revokePermissions(): void {
  for (const name of [...KINDS, "read"] as const) Deno.permissions.revokeSync({ name });
}
