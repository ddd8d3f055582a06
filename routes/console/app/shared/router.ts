import { ownTree, shownAt, shownTree } from "./session.ts";
import { Store } from "./store.ts";

/**
 * Where the person is: `#/files/models/a?tree=7&at=v1.0` is the room `files` at the path `models/a`, in the tree of
 * user 7, as a tag has it. Without a tree, it is the person's own. It is in the fragment, which browsers send to no
 * server.
 */
export interface Place {
  readonly room: string;
  readonly path: string;
  /** What else the address says, besides the tree. */
  readonly query: Parameters;
}

/** Parameters of an address. */
type Parameters = Readonly<Record<string, string>>;

/** The rooms that show what was. */
const ROOMS_OF_THE_PAST: ReadonlySet<string> = new Set(["files", "file", "model"]);

export const place = new Store<Place>(placeOf(location.hash));

note(location.hash);

/** Notes which tree is shown, and which state of it. */
function note(hash: string): void {
  const { room, query } = placeOf(hash);
  shownTree.set(treeOf(hash));
  shownAt.set(ROOMS_OF_THE_PAST.has(room) ? query.at : undefined);
}

let former: Place | undefined;
addEventListener("hashchange", () => {
  former = place.value;
  note(location.hash);
  place.set(placeOf(location.hash));
});

/** Where the person was before. Undefined at first. */
export function formerPlace(): Place | undefined {
  return former;
}

/** The link to a place in the tree that is shown: files as they are shown, now or in the past. */
export function linkTo(room: string, path = ""): string {
  const at = ROOMS_OF_THE_PAST.has(room) ? shownAt.value : undefined;
  return addressOf(room, path, shownTree.value, at === undefined ? {} : { at });
}

/** The link to a place in the tree that is shown, with parameters such as `at`. */
export function linkWith(room: string, path: string, query: Parameters): string {
  return addressOf(room, path, shownTree.value, query);
}

function addressOf(
  room: string,
  path: string,
  tree: number | undefined,
  query: Parameters = {},
): string {
  const segments = path.split("/").filter((it) => it !== "").map(encodeURIComponent);
  const parameters = { ...(tree !== undefined && { tree: String(tree) }), ...query };
  const text = new URLSearchParams(parameters).toString();
  return `#/${[room, ...segments].join("/")}${text === "" ? "" : `?${text}`}`;
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

/** Notes parameters of the address of this place, but for those that are empty, without going anywhere. */
export function noteQuery(query: Readonly<Record<string, string | undefined>>): void {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as const]
  );
  const { room, path } = place.value;
  const address = addressOf(room, path, shownTree.value, Object.fromEntries(given));
  history.replaceState(history.state, "", address);
  place.set(placeOf(location.hash));
}

function placeOf(hash: string): Place {
  // In names, a question mark is encoded.
  const [before = ""] = hash.replace(/^#\/?/, "").split("?");
  const [room = "", ...segments] = before.split("/").map(decoded);
  return {
    room: room === "" ? "files" : room,
    path: segments.filter((it) => it !== "").join("/"),
    query: parametersOf(hash),
  };
}

function parametersOf(hash: string): Parameters {
  const [, after = ""] = hash.split("?");
  return Object.fromEntries(new URLSearchParams(after));
}

function treeOf(hash: string): number | undefined {
  const { tree = "" } = parametersOf(hash);
  return /^[1-9]\d{0,15}$/.test(tree) ? Number(tree) : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A link that a person has changed.
    return segment;
  }
}
