import type { Scope } from "./ports.ts";

/** What a caller may do (RS 2, C 14, C 15). */
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

/** Who asks, as the credential says (RS 5). */
export interface Caller {
  readonly userId: number;
  readonly privileges: ReadonlySet<string>;
  /** When the credential ends, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Whether the caller holds the privilege; `resources.admin` holds every one (RS 2). */
export function permits(caller: Caller, privilege: Privilege): boolean {
  return caller.privileges.has(privilege) || caller.privileges.has("resources.admin");
}

/** Whose records the caller sees (RS 1.3). */
export function scopeOf(caller: Caller): Scope {
  return { userId: caller.userId, everyone: caller.privileges.has("resources.admin") };
}
