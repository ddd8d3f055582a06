import type { PRIVILEGES, TreePrivileges } from "../schemas/credentials.ts";
import { AppError } from "./errors.ts";
import type { Scope } from "./ports.ts";

/** A privilege that a credential can grant. */
export type Privilege = typeof PRIVILEGES[number];

/** Privileges that permit nothing without another one. A report reveals content (C 15). */
const NEEDED_WITH: { readonly [P in Privilege]?: Privilege } = {
  "scans.run": "resources.download",
};

const MIRROR_USE: ReadonlySet<string> = new Set<Privilege>(["mirror.use"]);

/** The privileges that an operation needs: its own, and those that this one does not work without. */
export function requiredPrivileges(privilege: Privilege): readonly Privilege[] {
  const other = NEEDED_WITH[privilege];
  return other === undefined ? [privilege] : [privilege, other];
}

/** The user behind a request, by its credential (RS 5), and what the request acts in (C 19). */
export interface Caller {
  readonly userId: number;
  /** What the caller may do in the tree that the request acts in. */
  readonly privileges: ReadonlySet<string>;
  /** The privileges in the trees of other users, by user. @default none */
  readonly trees?: ReadonlyMap<number, ReadonlySet<string>> | undefined;
  /** The user whose tree the request names. @default none: its own, or with `resources.admin` all */
  readonly tree?: number | undefined;
  /** How the request names that user: a message tells nothing else of it. */
  readonly treeName?: string | undefined;
  /** The id of the credential, by which it can be revoked. */
  readonly jti?: string | undefined;
  /** When the credential was issued, in milliseconds since the Unix epoch. @default unknown, long ago */
  readonly issuedAt?: number | undefined;
  /** The key that the credential stands or falls with. @default it is one of an issuer's */
  readonly keyId?: string | undefined;
  /** Whether the previous secret of the server signed the credential, and not the present one. @default false */
  readonly isOutdated?: boolean;
  /** Whether it is a person who is signed in, and not a credential (C 27). @default false */
  readonly isPerson?: boolean;
  /** Whether it may never do more than the person with its number may then (C 27). @default false */
  readonly isBound?: boolean;
  /** The quota of the caller's tree in bytes. @default that of the settings */
  readonly quota?: number | undefined;
  /** The tokens of the locks that the request has (RFC 4918, 6.5). @default none */
  readonly lockTokens?: ReadonlySet<string> | undefined;
  /** When the credential expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Whether the caller has the privilege; `resources.admin` implies all others (RS 2). */
export function permits(caller: Caller, privilege: Privilege): boolean {
  return holds(caller, privilege);
}

/** Like {@link permits}, for a name that may come from another issuer. */
function holds({ privileges }: Caller, name: string): boolean {
  return privileges.has(name) || privileges.has("resources.admin");
}

/**
 * The caller of a request that names the tree of a user (C 19). It has the privileges there that its
 * credential states, none if it states nothing, and all if it is an administrator. Even
 * `resources.admin` reaches no further than this tree.
 * See docs/design/shared_trees.md.
 *
 * @param treeName How the request names the user. @default by its number
 */
export function inTree(caller: Caller, tree: number, treeName = String(tree)): Caller {
  if (tree === caller.userId) return { ...caller, tree, treeName };
  const inIt = caller.trees?.get(tree) ??
    (permits(caller, "resources.admin") ? caller.privileges : new Set<string>());
  // The mirror is the same for all trees (C 28).
  const privileges = permits(caller, "mirror.use") ? inIt.union(MIRROR_USE) : inIt;
  // The quota of the credential is that of the caller's own tree.
  return { ...caller, tree, treeName, privileges, quota: undefined };
}

/**
 * Refuses a caller without the privilege.
 *
 * @throws {AppError} `ErrNotPermitted`.
 */
export function requirePermission(caller: Caller, privilege: Privilege): void {
  requireHeld(caller, privilege);
}

/**
 * Refuses a caller who lacks something that a credential permits: in its own tree, or in others.
 *
 * @throws {AppError} `ErrNotPermitted`, which names what is missing.
 */
export function requireAllOf(
  caller: Caller,
  { privileges, trees }: {
    readonly privileges: readonly string[];
    readonly trees: TreePrivileges;
  },
): void {
  for (const name of privileges) requireHeld(caller, name);
  for (const [tree, names] of Object.entries(trees)) {
    for (const name of names) requireHeld(inTree(caller, Number(tree)), name);
  }
}

function requireHeld(caller: Caller, name: string): void {
  if (holds(caller, name)) return;
  const where = caller.tree === undefined ? "" : ` in the tree of user ${caller.treeName}`;
  throw new AppError("ErrNotPermitted", `Privilege ${name} required${where}`);
}

/** The user in whose tree the request acts: the owner of what it makes. */
export function ownerOf({ tree, userId }: Caller): number {
  return tree ?? userId;
}

/** The records that the caller sees (RS 1.3). */
export function scopeOf(caller: Caller): Scope {
  return {
    userId: ownerOf(caller),
    everyone: caller.tree === undefined && caller.privileges.has("resources.admin"),
  };
}

/**
 * Refuses a caller who does not see the records of all users.
 *
 * @throws {AppError} `ErrNotPermitted`
 */
export function requireEveryone(caller: Caller): void {
  if (scopeOf(caller).everyone) return;
  const reason = caller.tree === undefined ? "" : ", and no tree may be named";
  throw new AppError("ErrNotPermitted", `Privilege resources.admin required${reason}`);
}
