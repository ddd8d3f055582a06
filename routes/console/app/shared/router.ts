import { Store } from "./store.ts";

/**
 * Where the person is: `#/files/models/a` is the room `files` at the path `models/a`. It is in the fragment,
 * which browsers send to no server.
 */
export interface Place {
  readonly room: string;
  readonly path: string;
}

export const place = new Store<Place>(placeOf(location.hash));

let former: Place | undefined;
addEventListener("hashchange", () => {
  former = place.value;
  place.set(placeOf(location.hash));
});

/** Where the person was before. Undefined at first. */
export function formerPlace(): Place | undefined {
  return former;
}

/** The link to a place. */
export function linkTo(room: string, path = ""): string {
  const segments = path.split("/").filter((it) => it !== "").map(encodeURIComponent);
  return `#/${[room, ...segments].join("/")}`;
}

/** Goes to a place. */
export function goTo(room: string, path = ""): void {
  location.hash = linkTo(room, path);
}

/** Goes to a place in the stead of the present one, which is no longer there to come back to. */
export function goOn(room: string, path = ""): void {
  location.replace(linkTo(room, path));
}

function placeOf(hash: string): Place {
  const [room = "", ...segments] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  return { room: room === "" ? "files" : room, path: segments.filter((it) => it !== "").join("/") };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A link that a person has changed.
    return segment;
  }
}
