import type { Context } from "hono";
import { AppError, quoted } from "../../core/errors.ts";
import { ownerOf } from "../../core/caller.ts";
import { cleanedPath } from "../../schemas/clean_path.ts";
import { callerOf } from "../serving/auth.ts";
import type { PublicUrl } from "../serving/public_url.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { decodePath, pathInAddress } from "../request/address_path.ts";

export type Handled = Context<AppEnvironment>;

/** Where WebDAV is: the caller's own tree. Those of others are below it, at `/t/<user>`. */
export const DAV_PATH = "/dav";

/** What an address of WebDAV names. */
export interface Target {
  /** The address of the tree: `/dav`, or `/dav/t/7`, below the path of the public URL. */
  readonly base: string;
  /** "" is the root. */
  readonly path: string;
}

/**
 * What the address of a request names.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it has a fragment: the rest would name something above.
 */
export function targetOf(c: Handled, publicUrl: PublicUrl): Target {
  if (c.req.url.includes("#")) {
    throw new AppError("ErrResourcesInvalidRequest", "Invalid address: it has a fragment");
  }
  const route = /^\/dav(?:\/t\/[^/]+)?/.exec(c.req.path)?.[0] ?? DAV_PATH;
  const base = c.req.param("tree") === undefined ? DAV_PATH : route;
  const path = cleanedPath(pathInAddress(c, base.split("/").length));
  return { base: publicUrl.path + base, path };
}

/**
 * The path in the same tree that an address in a header names (RFC 4918, 10.3).
 *
 * @returns undefined if it is elsewhere.
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is no address.
 */
export function pathNamed(c: Handled, publicUrl: PublicUrl, address: string): string | undefined {
  const url = URL.parse(address.trim(), c.req.url);
  if (url === null) {
    throw new AppError("ErrResourcesInvalidRequest", `Invalid address ${quoted(address)}`);
  }
  const hosts = [new URL(c.req.url).host, new URL(publicUrl.originFor(c)).host];
  if (!hosts.includes(url.host)) return undefined;
  // A proxy may have removed the path of the public URL from the request, and not from the header.
  const own = `${publicUrl.path}${DAV_PATH}/`;
  const pathname = `${url.pathname}/`.startsWith(own)
    ? url.pathname.slice(publicUrl.path.length)
    : url.pathname;
  const [, door, ...segments] = pathname.split("/");
  if (`/${door}` !== DAV_PATH) return undefined;
  const caller = callerOf(c);
  const isNamed = segments[0] === "t" && segments.length > 2;
  const named = isNamed ? segments[1]?.toLowerCase() : undefined;
  const path = isNamed ? segments.slice(2) : segments;
  const tree = named === undefined
    ? caller.userId
    : named === caller.treeName?.toLowerCase()
    ? ownerOf(caller)
    : Number(named);
  return tree === ownerOf(caller) ? cleanedPath(decodePath(path.join("/"))) : undefined;
}

/** The address of a path. Those of directories end with a slash. */
export function hrefOf({ base }: Target, path: string, isDir: boolean): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `${base}/${encoded}${isDir && path !== "" ? "/" : ""}`;
}
