import type { Context } from "hono";
import { getPathNoStrict } from "hono/utils/url";
import {
  clientAddress,
  connectedAddress,
  isLoopback,
  type TrustedProxies,
} from "../request/client_address.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** The address under which clients reach the server, in URLs that it hands out (C 19, C 31). */
export class PublicUrl {
  /** The path of all addresses, which a proxy may remove from requests: `/models`, or nothing. */
  readonly path: string;
  readonly #origin: string | undefined;
  readonly #proxies: Pick<TrustedProxies, "has">;

  /**
   * @param configured The URL of the settings, which counts for all requests.
   * @param proxies The proxies that may say what their clients asked for.
   */
  constructor(configured: string | undefined, proxies: Pick<TrustedProxies, "has">) {
    const { origin, pathname = "/" } = configured === undefined ? {} : new URL(configured);
    this.path = pathname.replace(/\/$/, "");
    this.#origin = origin;
    this.#proxies = proxies;
  }

  /** The origin of the settings, or else the one that the client of the request has used. */
  originFor(c: Context<AppEnvironment>): string {
    if (this.#origin !== undefined) return this.#origin;
    const { protocol, host } = new URL(c.req.url);
    const own = { proto: protocol.slice(0, -1), host };
    const address = connectedAddress(c);
    const trusted = address !== undefined && this.#proxies.has(address);
    const { proto, host: shown } = trusted ? { ...own, ...forwarded(c.req.raw.headers) } : own;
    return `${proto}://${shown}`;
  }

  /** Whether nobody on the way of a request can read it: it has come by TLS, or from this host. */
  isPrivate(c: Context<AppEnvironment>): boolean {
    const { protocol } = new URL(c.req.url);
    const connected = connectedAddress(c);
    if (protocol === "https:" || connected === undefined) return true;
    const { headers } = c.req.raw;
    if (isLoopback(clientAddress(connected, headers, this.#proxies))) return true;
    if (!this.#proxies.has(connected)) return false;
    const { proto = this.#origin?.split(":")[0] } = forwarded(headers);
    return proto === "https";
  }

  /** The URL of the server, to which the path of a route is appended. */
  for(c: Context<AppEnvironment>): string {
    return this.originFor(c) + this.path;
  }

  /**
   * The path of a route that a request is for, without a slash at its end, whether a proxy has removed
   * {@link path} or not.
   */
  readonly routeOf = (request: Request): string => {
    const path = getPathNoStrict(request);
    if (this.path === "" || !`${path}/`.startsWith(`${this.path}/`)) return path;
    return path.slice(this.path.length) || "/";
  };
}

/** What the last proxy says that its client asked for, as far as that is valid. */
function forwarded(headers: Headers): { proto?: string; host?: string } {
  const pairs = (headers.get("Forwarded")?.split(",").at(-1) ?? "").split(";")
    .map((pair) => pair.trim().split("="))
    .map(([name = "", value = ""]) => [name.toLowerCase(), value.replaceAll('"', "")] as const);
  const of = (name: string) =>
    new Map(pairs).get(name) ?? headers.get(`X-Forwarded-${name}`)?.split(",").at(-1)?.trim();
  const proto = of("proto")?.toLowerCase() ?? "";
  const host = of("host") ?? "";
  return {
    ...(["http", "https"].includes(proto) && { proto }),
    ...(/^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host) && { host }),
  };
}
