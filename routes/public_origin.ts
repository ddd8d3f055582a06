import type { Context } from "hono";
import { connectedAddress, type TrustedProxies } from "./client_address.ts";
import type { AppEnvironment } from "./environment.ts";

/** The origin in URLs that the server hands out (C 19). */
export class PublicOrigin {
  /**
   * @param configured The origin of the settings, which counts for all requests.
   * @param proxies The proxies that may say what their clients asked for.
   */
  constructor(
    private readonly configured: string | undefined,
    private readonly proxies: Pick<TrustedProxies, "has">,
  ) {}

  /** That of the settings, or else the one that the client of the request has used. */
  of(c: Context<AppEnvironment>): string {
    if (this.configured !== undefined) return this.configured;
    const { protocol, host } = new URL(c.req.url);
    const own = { proto: protocol.slice(0, -1), host };
    const address = connectedAddress(c);
    const trusted = address !== undefined && this.proxies.has(address);
    const { proto, host: shown } = trusted ? { ...own, ...forwarded(c.req.raw.headers) } : own;
    return `${proto}://${shown}`;
  }
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
