/** What a thread may do. It may do nothing that is left out, and nothing that its parent may not. */
export type ThreadPermissions = Omit<Deno.PermissionOptionsObject, "ffi" | "import" | "run">;

/** A thread that reads and writes the files of its parent, and does nothing else. */
export const FILES_ONLY: ThreadPermissions = { read: "inherit", write: "inherit" };

const NOTHING = {
  env: false,
  ffi: false,
  import: false,
  net: false,
  read: false,
  run: false,
  sys: false,
  write: false,
} as const;

/**
 * The permissions of a thread, for the runtime. It does not apply `import` to threads (2.9.6), so the whole
 * process has to give that up.
 */
export function threadPermissions(granted: ThreadPermissions): Deno.PermissionOptionsObject {
  return { ...NOTHING, ...granted };
}
