/** What settings can be. The message of an issue says what is expected. */

import * as v from "valibot";
import { parseContentUrl } from "./content_url.ts";
import { AGREED } from "./agreement.ts";
import { databaseAddress } from "./database_url.ts";
import { isLong, isVaried, LONG_SECRET, STRONG_SECRET } from "./secret.ts";
import { parseDuration, parseSize } from "./units.ts";
import { urlAuthority } from "./url_authority.ts";
import { ACCEPTABLE_VERDICTS } from "./verdict_names.ts";

/** Text that is not empty. */
export const text = v.pipe(v.string(), v.trim(), v.nonEmpty("non-empty text"));

/** A path of the host. It may have spaces, commas and quotes, as no shell ever splits it. */
export const path = v.pipe(
  text,
  v.check((value) => !/\p{Cc}/u.test(value), "a path without control characters"),
);

const MAX_HOST_LENGTH = 253;
const HOST_LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i;

/**
 * Checks for a host name or an IP address, without brackets or a zone. Such a host has no meaning
 * beyond its own in a permission of the runtime, where `*` and `,` would have one.
 */
function isHost(value: string): boolean {
  if (value.length > MAX_HOST_LENGTH) return false;
  if (v.IPV4_REGEX.test(value)) return true;
  if (v.IPV6_REGEX.test(value)) return !value.includes("%");
  const labels = value.replace(/\.$/, "").split(".");
  // A name that ends in a number would be read as an IPv4 address (WHATWG URL, 3.5).
  return labels.every((label) => HOST_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

/** A host name or an IP address. */
export const host = v.pipe(v.string(), v.trim(), v.check(isHost, "a host name or an IP address"));

/** A comma-separated list of hosts, each with a port or none. */
export const hostsWithPorts = v.pipe(
  text,
  v.transform((value) => value.split(",").map((it) => it.trim())),
  v.check(
    (list) =>
      list.every((it) => {
        const url = URL.parse(`https://${it}`);
        return url !== null &&
          `${url.host}${url.port === "" && it.endsWith(":443") ? ":443" : ""}` === it &&
          isHost(url.hostname.replace(/^\[(.*)\]$/, "$1"));
      }),
    "comma-separated hosts such as cdn.example,cdn.example:8443",
  ),
);

/** Like {@link hostsWithPorts}, with the port of https for those that have none. */
export const authorities = v.pipe(
  hostsWithPorts,
  v.transform((hosts) => hosts.map((it) => urlAuthority(`https://${it}`))),
);

/** A whole number within limits, which it may reach. */
export function wholeNumber(minimum: number, maximum: number) {
  const allowed = `a whole number from ${minimum} to ${maximum}`;
  return v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^\d{1,16}$/, allowed),
    v.transform(Number),
    v.minValue(minimum, allowed),
    v.maxValue(maximum, allowed),
  );
}

const MAX_DURATION_S = 86_400;

/** A duration of at most a day, in milliseconds. */
export const duration = v.pipe(
  text,
  v.transform((value) => (value === "0" ? 0 : parseDuration(value)) ?? Infinity),
  v.maxValue(MAX_DURATION_S, "a duration such as 90s or 5m, of at most 1d"),
  v.transform((seconds) => seconds * 1000),
);

/** A duration of any length in milliseconds, or `off`, which is 0. */
export const period = v.pipe(
  text,
  v.transform((value) => value === "off" ? 0 : parseDuration(value) || NaN),
  v.check((seconds) => !Number.isNaN(seconds), "a duration such as 30d or 12h, or off"),
  v.transform((seconds) => seconds * 1000),
);

/** One of some words. */
export function oneOf<const Options extends readonly string[]>(...options: Options) {
  return v.picklist(options, `one of ${options.join(", ")}`);
}

/** An http or https URL whose host is one that {@link isHost} accepts. */
export const httpUrl = v.pipe(
  text,
  v.check((value) => {
    const url = URL.parse(value);
    return url !== null && ["http:", "https:"].includes(url.protocol) &&
      isHost(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  }, "an http or https URL"),
);

/** The URL of a provider (OpenID Connect Discovery, 2). Without TLS, anybody on the way could sign in as anybody. */
export const issuer = v.pipe(
  httpUrl,
  v.check((value) => {
    const { protocol, hostname, search, hash } = new URL(value);
    const isOwn = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
    return (protocol === "https:" || isOwn) && search === "" && hash === "";
  }, "an https URL without a query, or http of this host"),
);

/** The address of a content store (C 23). */
export const contentUrl = v.pipe(
  text,
  v.check(
    (value) => parseContentUrl(value) !== undefined,
    "an address such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1",
  ),
);

/** Says what is wrong with the URL of a database, without its password; undefined if nothing is. */
function databaseUrlProblem(text: string): string | undefined {
  try {
    const { hosts } = databaseAddress(text);
    return hosts.every(({ host }) => isHost(host)) ? undefined : "its host is invalid";
  } catch (error) {
    return error instanceof URIError
      ? "an escape sequence is invalid"
      : String(error).replace("Error: ", "");
  }
}

/** The URL of a database (C 23). Messages leave out its password. */
export const databaseUrl = v.pipe(
  text,
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? databaseUrlProblem(dataset.value) : undefined;
    if (problem === undefined) return;
    addIssue({
      message: `a URL such as postgres://user:password@host:5432/database, but ${problem}`,
    });
  }),
);

/** A secret that signs. */
export const secret = v.pipe(
  v.string(),
  v.check((value) => isLong(value) && isVaried(value), STRONG_SECRET),
);

/** A secret that has signed. A weak one must be replaceable, too. */
export const formerSecret = v.pipe(v.string(), v.check(isLong, LONG_SECRET));

/** A size of at least `minimum` bytes. */
export function size(minimum: number) {
  const allowed = `a size of at least ${minimum} bytes, such as 5GiB, 300MB or 1000000`;
  return v.pipe(
    v.string(),
    v.trim(),
    v.transform((text) => parseSize(text) ?? Number.NaN),
    v.number(allowed),
    v.minValue(minimum, allowed),
  );
}

/** An HTTP origin. */
export const origin = v.pipe(
  text,
  v.check(
    (value) => URL.parse(value)?.origin === value && /^https?:/.test(value),
    "an origin such as https://files.example",
  ),
);

/** What the paths of routes begin with: below such a path, a route could not be told from another one. */
const ROUTES = /^\/(?:api|console|healthz|hub|l|metrics|openapi\.json|readyz)(?:\/|$)/;

/** The URL of a server, which may have a path. */
export const publicUrl = v.pipe(
  text,
  v.check(
    (value) => {
      const url = URL.parse(value);
      if (url === null || !/^https?:$/.test(url.protocol)) return false;
      const { origin, pathname } = url;
      return [origin, origin + pathname].includes(value) &&
        /^(?:\/[\w.~-]+)*\/?$/.test(pathname) && !ROUTES.test(pathname);
    },
    "a URL such as https://files.example or https://example.com/strongroom, whose path is none of the server's own",
  ),
);

/** A comma-separated list of HTTP origins, or `*`. */
export const origins = v.pipe(
  text,
  v.transform((value) => value.split(",").map((origin) => origin.trim())),
  v.check(
    (list) => list.every((origin) => origin === "*" || URL.parse(origin)?.origin === origin),
    "comma-separated origins such as https://app.example, or *",
  ),
);

/** The bits of an IPv4 and an IPv6 address. */
const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/** Whether a text is an IP address, or a network such as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = v.IPV4_REGEX.test(address) ? 4 : v.IPV6_REGEX.test(address) ? 6 : undefined;
  return family !== undefined && !address.includes("%") &&
    (bits === undefined || Number(bits) <= ADDRESS_BITS[family]);
}

/** A comma-separated list of addresses and networks. */
export const networks = v.pipe(
  text,
  v.transform((value) => value.split(",").map((network) => network.trim())),
  v.check(
    (list) => list.every(isNetwork),
    "comma-separated addresses or networks such as 10.0.0.0/8",
  ),
);

/** A comma-separated list of some words. */
function listOf<const Words extends readonly string[]>(words: Words) {
  const word = v.picklist(words);
  return v.pipe(
    text,
    v.transform((value) => value.split(",").map((given) => given.trim())),
    v.check(
      (list) => list.every((given) => v.is(word, given)),
      `a comma-separated list of ${words.join(", ")}`,
    ),
    v.transform((list) => list.filter((given) => v.is(word, given))),
  );
}

/** The verdicts that the gate can accept. */
export const verdicts = listOf(ACCEPTABLE_VERDICTS);

/** In what a server may differ from the others of its database. */
export const agreed = listOf(AGREED);
