import type { Context } from "hono";
import { REPOSITORY_KINDS, type RepositoryKind } from "../../core/hub/repository.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { ServedRoute, Services } from "../serving/route.ts";

/** Where a request has reached the hub. */
export interface Mount {
  readonly kind: RepositoryKind;
  /** The path of the hub: `/hub`, or `/hub/t/7` for the tree of user 7. */
  readonly base: string;
}

/** A route of the hub, which is served for all trees and all kinds of repositories. */
export interface HubRoute extends Omit<ServedRoute, "handle" | "tree"> {
  /**
   * Relative to the hub. `{api}` is `/api/models` or `/api/datasets`, and `{web}` is empty for models, or
   * `/datasets`. `{+path}` is the rest of the address.
   */
  readonly path: string;
  readonly handle: (
    c: Context<AppEnvironment>,
    services: Services,
    mount: Mount,
  ) => Response | Promise<Response>;
}

/** Where the hub is: the caller's own tree, and that of a user. */
const MOUNTS = ["/hub", "/hub/t/{tree}"];

/** The routes of the server for a route of the hub. See docs/design/hub.md. */
export function expand({ path, handle, ...route }: HubRoute): ServedRoute[] {
  const kinds = /\{(?:api|web)\}/.test(path) ? REPOSITORY_KINDS : REPOSITORY_KINDS.slice(0, 1);
  return MOUNTS.flatMap((mount) =>
    kinds.map((kind): ServedRoute => ({
      ...route,
      tree: "address",
      path: mount + path
        .replace("{api}", `/api/${kind}`)
        .replace("{web}", kind === "models" ? "" : `/${kind}`),
      handle: (c, services) => handle(c, services, { kind, base: baseOf(c.req.path) }),
    }))
  );
}

function baseOf(path: string): string {
  return /^\/hub(?:\/t\/[^/]+)?/.exec(path)?.[0] ?? "";
}
