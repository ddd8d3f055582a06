import type { Context } from "hono";
import { BlockList, isIP } from "node:net";
import type { AppEnvironment } from "./environment.ts";

/** The most addresses of proxies that are looked at. */
const MAX_HOPS = 20;

/** The proxies whose word for the address of a client counts (C 22). */
export class TrustedProxies {
  readonly #networks = new BlockList();
  readonly #isEmpty: boolean;

  /** @param networks Addresses, and networks such as `10.0.0.0/8`. */
  constructor(networks: readonly string[]) {
    this.#isEmpty = networks.length === 0;
    for (const network of networks) {
      const [address = "", bits] = network.split("/");
      const family = familyOf(address);
      if (bits === undefined) this.#networks.addAddress(address, family);
      else this.#networks.addSubnet(address, Number(bits), family);
    }
  }

  has(address: string): boolean {
    if (this.#isEmpty || isIP(address) === 0) return false;
    return this.#networks.check(address, familyOf(address));
  }
}

/** The address at the other end of the connection: that of the client, or of the last proxy. */
export function connectedAddress(c: Context<AppEnvironment>): string | undefined {
  const remote = c.env?.remoteAddr;
  return remote?.transport === "tcp" ? plainAddress(remote.hostname) : undefined;
}

/**
 * The address of the client of a request: that of the connection, or if it is a trusted proxy, the last
 * address before the trusted proxies in `Forwarded` (RFC 7239) or `X-Forwarded-For`. What a client wrote
 * into these headers itself stands before that, and is not looked at. If both headers are there and
 * disagree, the proxy may have set one and passed the other on: then its own address is all that is known.
 */
export function clientAddress(
  connected: string,
  headers: Headers,
  proxies: Pick<TrustedProxies, "has">,
): string {
  if (!proxies.has(connected)) return connected;
  const lists = [
    headers.get("Forwarded")?.split(",").map(forOf),
    headers.get("X-Forwarded-For")?.split(","),
  ].filter((list) => list !== undefined);
  const [client = connected, other = client] = lists.map((list) =>
    lastUntrusted(list, connected, proxies)
  );
  return client === other ? client : connected;
}

/** The last address of a list that is not a trusted proxy, or the last one that can be believed. */
function lastUntrusted(
  list: readonly string[],
  connected: string,
  proxies: Pick<TrustedProxies, "has">,
): string {
  let client = connected;
  for (const address of list.slice(-MAX_HOPS).reverse().map(addressOf)) {
    // An obfuscated or invalid name.
    if (address === undefined) return client;
    client = address;
    if (!proxies.has(client)) return client;
  }
  return client;
}

/** The parameter `for` of an element of `Forwarded`. */
function forOf(element: string): string {
  const pair = element.split(";").find((it) => /^\s*for\s*=/i.test(it)) ?? "";
  return pair.slice(pair.indexOf("=") + 1).trim().replace(/^"(.*)"$/, "$1");
}

/** An address without brackets and port, or undefined if it is not one. */
function addressOf(text: string): string | undefined {
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1];
  const address = plainAddress(bracketed ?? trimmed.replace(/^([\d.]+):\d+$/, "$1"));
  return isIP(address) === 0 ? undefined : address;
}

/** Whether a connection with this address at its other end stays on this host. */
export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** An IPv4 address that a socket of IPv6 shows as `::ffff:192.0.2.1`, as itself. */
function plainAddress(address: string): string {
  const mapped = address.replace(/^::ffff:/i, "");
  return isIP(mapped) === 4 ? mapped : address;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/** An IPv4 address, or the 64 bits of an IPv6 address that its owner does not choose. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const zeros = tail === undefined
    ? 0
    : 8 - groups.length - tail.split(":").filter((it) => it !== "").length;
  const all = [...groups, ...Array(zeros).fill("0"), ...tail?.split(":") ?? []];
  return all.slice(0, 4).join(":").toLowerCase();
}
