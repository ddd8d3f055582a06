import { ownTree, shownTree } from "./session.ts";
import { Store } from "./store.ts";

/**
 * Where the person is: `#/files/models/a?tree=7` is the room `files` at the path `models/a`, in the tree of user 7.
 * Without a tree, it is the person's own. It is in the fragment, which browsers send to no server.
 */
export interface Place {
  readonly room: string;
  readonly path: string;
}

export const place = new Store<Place>(placeOf(location.hash));

shownTree.set(treeOf(location.hash));

let former: Place | undefined;
addEventListener("hashchange", () => {
  former = place.value;
  shownTree.set(treeOf(location.hash));
  place.set(placeOf(location.hash));
});

/** Where the person was before. Undefined at first. */
export function formerPlace(): Place | undefined {
  return former;
}

/** The link to a place in the tree that is shown. */
export function linkTo(room: string, path = ""): string {
  return addressOf(room, path, shownTree.value);
}

function addressOf(room: string, path: string, tree: number | undefined): string {
  const segments = path.split("/").filter((it) => it !== "").map(encodeURIComponent);
  return `#/${[room, ...segments].join("/")}${tree === undefined ? "" : `?tree=${tree}`}`;
}

/** Goes to a room in the tree of a user. */
export function goToTree(tree: number, room = "files"): void {
  location.hash = addressOf(room, "", tree === ownTree() ? undefined : tree);
}

/** Goes to a place. */
export function goTo(room: string, path = ""): void {
  location.hash = linkTo(room, path);
}

/** Goes to a place instead of the present one, which is no longer there to come back to. */
export function goOn(room: string, path = ""): void {
  location.replace(linkTo(room, path));
}

function placeOf(hash: string): Place {
  // In names, a question mark is encoded.
  const [before = ""] = hash.replace(/^#\/?/, "").split("?");
  const [room = "", ...segments] = before.split("/").map(decoded);
  return { room: room === "" ? "files" : room, path: segments.filter((it) => it !== "").join("/") };
}

function treeOf(hash: string): number | undefined {
  const tree = /\?tree=([1-9]\d{0,15})$/.exec(hash)?.[1];
  return tree === undefined ? undefined : Number(tree);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A link that a person has changed.
    return segment;
  }
}
