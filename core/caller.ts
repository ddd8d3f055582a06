import type { Scope } from "./ports.ts";

/** The privileges that a credential can grant (RS 2, C 14, C 15). */
export const PRIVILEGES = [
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
  "resources.admin",
  "capacity.view",
  "scans.view",
  "scans.run",
] as const;
export type Privilege = typeof PRIVILEGES[number];

/** The user behind a request, by its credential (RS 5). */
export interface Caller {
  readonly userId: number;
  readonly privileges: ReadonlySet<string>;
  /** When the credential expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Whether the caller has the privilege; `resources.admin` implies all others (RS 2). */
export function permits(caller: Caller, privilege: Privilege): boolean {
  return caller.privileges.has(privilege) || caller.privileges.has("resources.admin");
}

/** The records that the caller sees (RS 1.3). */
export function scopeOf(caller: Caller): Scope {
  return { userId: caller.userId, everyone: caller.privileges.has("resources.admin") };
}
