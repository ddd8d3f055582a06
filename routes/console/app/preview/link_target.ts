import { linkTo } from "../shared/router.ts";

/** Where a link of a document leads. */
export interface Target {
  readonly href: string;
  /** Undefined for a place in the tree that is shown. */
  readonly host?: string;
}

/** Where links may lead outside of the tree. */
const SCHEMES = ["http:", "https:", "mailto:"];

/** Where a link of a document in a directory leads. Undefined if it leads nowhere that can be opened. */
export function targetOf(href: string, directory: string): Target | undefined {
  if (href === "" || /^[#?/\\]/.test(href)) return undefined;
  // A path has no scheme.
  if (/^[^/?#]{0,200}:/.test(href)) return elsewhere(href);
  const [path = ""] = href.split(/[?#]/);
  const segments = directory === "" ? [] : directory.split("/");
  for (const segment of path.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== "." && segment !== "") segments.push(decoded(segment));
  }
  return { href: linkTo("file", segments.join("/")) };
}

function elsewhere(address: string): Target | undefined {
  if (!URL.canParse(address)) return undefined;
  const { href, protocol, host, pathname } = new URL(address);
  if (!SCHEMES.includes(protocol)) return undefined;
  return { href, host: host === "" ? pathname : host };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It is a name as it is.
    return segment;
  }
}
