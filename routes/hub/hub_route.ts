import type { Context } from "hono";
import { REPOSITORY_KINDS, type RepositoryKind } from "../../core/hub/repository.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { ServedRoute, Services } from "../serving/route.ts";

/** Where a request has reached the hub. */
export interface Mount {
  readonly kind: RepositoryKind;
  /** The path of the hub: `/hub`, `/hub/t/7` for the tree of user 7, or `/hub/m` for the mirror alone. */
  readonly base: string;
  /** Whether that is the mirror. */
  readonly isMirror: boolean;
}

/** A route of the hub, which is served for all trees and all kinds of repositories. */
export interface HubRoute extends Omit<ServedRoute, "handle" | "tree"> {
  /**
   * Relative to the hub. `{api}` is `/api/models` or `/api/datasets`, and `{web}` is empty for models, or
   * `/datasets`. `{+path}` is the rest of the address.
   */
  readonly path: string;
  /** Whether it is served for the mirror alone, too. @default false */
  readonly mirrored?: boolean;
  readonly handle: (
    c: Context<AppEnvironment>,
    services: Services,
    mount: Mount,
  ) => Response | Promise<Response>;
}

/** Where the hub is: the caller's own tree, and that of a user. */
const MOUNTS = ["/hub", "/hub/t/{tree}"];
/** Where the mirror alone is (C 28). */
const MIRROR = "/hub/m";

/** The routes of the server for a route of the hub. See docs/design/hub.md. */
export function expand(route: HubRoute): ServedRoute[] {
  return MOUNTS.flatMap((mount) => mounted(route, mount));
}

/**
 * The routes of the mirror alone for a route of the hub. They come before those of trees, where its address would
 * be a namespace.
 */
export function expandMirrored(route: HubRoute): ServedRoute[] {
  if (route.mirrored !== true) return [];
  return mounted({ ...route, privilege: "mirror.use" }, MIRROR);
}

function mounted({ path, mirrored: _, handle, ...route }: HubRoute, mount: string): ServedRoute[] {
  const kinds = /\{(?:api|web)\}/.test(path) ? REPOSITORY_KINDS : REPOSITORY_KINDS.slice(0, 1);
  return kinds.map((kind): ServedRoute => ({
    ...route,
    tree: "address",
    path: mount + path
      .replace("{api}", `/api/${kind}`)
      .replace("{web}", kind === "models" ? "" : `/${kind}`),
    handle(c, services) {
      const base = baseOf(c.req.path);
      return handle(c, services, { kind, base, isMirror: mount === MIRROR });
    },
  }));
}

function baseOf(path: string): string {
  return /^\/hub(?:\/t\/[^/]+|\/m(?=\/))?/.exec(path)?.[0] ?? "";
}
