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
  "metrics.view",
] as const;
export type Privilege = typeof PRIVILEGES[number];

/** Privileges that permit nothing without another one. A report reveals content (C 15). */
const NEEDED_WITH: { readonly [P in Privilege]?: Privilege } = {
  "scans.run": "resources.download",
};

/** The privileges that an operation needs: its own, and those that this one does not work without. */
export function requiredPrivileges(privilege: Privilege): readonly Privilege[] {
  const other = NEEDED_WITH[privilege];
  return other === undefined ? [privilege] : [privilege, other];
}

/** The user behind a request, by its credential (RS 5). */
export interface Caller {
  readonly userId: number;
  readonly privileges: ReadonlySet<string>;
  /** The id of the credential, by which it can be revoked. */
  readonly jti?: string | undefined;
  /** The quota of the caller's tree in bytes. @default that of the settings */
  readonly quota?: number | undefined;
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
