import type { ConsoleSession } from "../../../../schemas/console.ts";
import { Store } from "./store.ts";

/** Who is signed in. */
export type SessionState =
  | { readonly kind: "unknown" }
  /** @param reason Why, if the person has not asked for it. */
  | { readonly kind: "signedOut"; readonly reason?: string }
  | { readonly kind: "signedIn"; readonly session: ConsoleSession };

export const session = new Store<SessionState>({ kind: "unknown" });

/** The user whose tree is shown (C 19). @default the person's own */
export const shownTree = new Store<number | undefined>(undefined);

/** Which state of the tree is shown: a version, a time or a tag (C 26). @default what is there now */
export const shownAt = new Store<string | undefined>(undefined);

/** The tree that requests name: never all trees at once, which an administrator would see otherwise. */
export function currentTree(): number | undefined {
  return shownTree.value ?? ownTree();
}

/** The tree of the person who is signed in. */
export function ownTree(): number | undefined {
  const { value } = session;
  return value.kind === "signedIn" ? value.session.user_id : undefined;
}

/** What may be done with what was. */
const OF_THE_PAST: ReadonlySet<string> = new Set(["resources.view", "resources.download"]);

/** Whether the person has a privilege in the tree, and for the state, that is shown. The server decides in any case. */
export function may(privilege: string): boolean {
  return (shownAt.value === undefined || OF_THE_PAST.has(privilege)) &&
    mayIn(currentTree(), privilege);
}

/** Whether the server keeps what changes take away (C 26). */
export function keepsHistory(): boolean {
  return historyMs() > 0;
}

/** How long it does, in milliseconds. */
export function historyMs(): number {
  const { value } = session;
  return value.kind === "signedIn" ? value.session.history_ms : 0;
}

/** Whether the server mirrors another hub (C 28). */
export function hasMirror(): boolean {
  const { value } = session;
  return value.kind === "signedIn" && value.session.has_mirror;
}

/** Whether the person has a privilege in the tree of a user. @param tree Undefined for the own one. */
export function mayIn(tree: number | undefined, privilege: string): boolean {
  const state = session.value;
  if (state.kind !== "signedIn") return false;
  const { user_id: own, privileges, trees } = state.session;
  if (privileges.includes("resources.admin")) return true;
  const held = tree === own || tree === undefined ? privileges : trees[String(tree)] ?? [];
  return held.includes(privilege) || held.includes("resources.admin");
}

/** Whether the credential has a privilege whatever tree is shown, as for what concerns all trees, or the host. */
export function holds(privilege: string): boolean {
  const state = session.value;
  if (state.kind !== "signedIn") return false;
  const { privileges } = state.session;
  return privileges.includes(privilege) || privileges.includes("resources.admin");
}

/** The names of users and teams that the person has found in this page. */
const found = new Map<number, string>();

/** Remembers whose a tree is. */
export function noteTree(tree: number, name: string): void {
  found.set(tree, name);
}

/** What the tree of a user is called: by the name of the user, as far as the server has told it. */
export function treeLabel(tree: number): string {
  const { value } = session;
  const names = value.kind === "signedIn" ? value.session.tree_names : {};
  return names[String(tree)] ?? found.get(tree) ?? `Tree ${tree}`;
}

/** What a user is called, as far as that is known. */
export function userLabel(user: number): string {
  const { value } = session;
  if (value.kind !== "signedIn") return `User ${user}`;
  const { user_id: own, user_name: name, tree_names: names } = value.session;
  return (user === own ? name : names[String(user)] ?? found.get(user)) ?? `User ${user}`;
}

/** Whether the person may do nothing, in any tree. */
export function holdsNothing(): boolean {
  const state = session.value;
  if (state.kind !== "signedIn") return true;
  const { privileges, trees, is_person: isPerson } = state.session;
  return isPerson && [privileges, ...Object.values(trees)].every((held) => held.length === 0);
}

/** The user ids of the trees that the person may choose from, the own one first. */
export function knownTrees({ user_id: own, trees }: ConsoleSession): number[] {
  return [own, ...Object.keys(trees).map(Number).filter((tree) => tree !== own)];
}
