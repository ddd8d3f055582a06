/**
 * Heads of requests that no well-behaved client sends, to all routes of a server, by HTTP/1.1 and HTTP/2.
 * Whatever they are, none makes an internal error.
 */

import type { RouterRoute } from "hono/types";
import * as http2 from "node:http2";
import { type TestServer, type TestServerOptions, USER_PRIVILEGES } from "../support/server.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { CONTENT_TYPE } from "../support/tus.ts";

export interface HeadsOptions {
  readonly seed: number;
  readonly requests: number;
}

/** A server that believes what requests say of their clients. */
export const HEADS_SERVER: TestServerOptions = {
  settings: { trustedProxies: ["127.0.0.1"], corsOrigins: ["https://a.example"] },
};

/** How many requests had each status, and `closed` for a connection that ended without one. */
export type Statuses = Map<number | "closed", number>;

/** What is wrong with the server, and not with a request. */
const FAULTS: ReadonlySet<number> = new Set([500, 502, 503, 504]);
/** Requests on their way at once. */
const AT_ONCE = 8;

const HOSTS = [
  ...[
    "localhost",
    "a",
    "a:80",
    "a:80:90",
    "a:",
    ":80",
    ":",
    "a:99999",
    "a:-1",
    "a:0x50",
    "a..b",
    "..",
  ],
  ...[
    "[::1]",
    "[::1",
    "::1",
    "[]",
    "[::1]:80:90",
    "[v1.a]",
    "[::ffff:1.2.3.4]",
    "1.2.3.4.5",
    "999.1.1.1",
  ],
  ...[
    "xn--",
    "xn--a",
    "xn--zn7c.com",
    "a_b",
    "a%41",
    "a%zz",
    "u:p@b",
    "@",
    "a/b",
    "a?b",
    "a#b",
    "a\\b",
  ],
  ...["-", "a,b", "ä", "0x7f.1", "a".repeat(300), "[", "]", "", " ", "localhost:"],
];
const SCHEMES = ["http", "https", "file", "ftp", "ws", "javascript", "blob", "a", "data"];
const METHODS = [
  "GET",
  "HEAD",
  "PUT",
  "OPTIONS",
  "get",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "M-SEARCH",
  "QUERY",
  "G'T",
  "a".repeat(100),
];
const SEGMENTS = [
  ...["a", "1", "0", "-1", "99999999999999999999", "%zz", "%", "%00", "%2F", "%2e%2e", "..", "."],
  ...[
    "%F0%9F",
    "%FF",
    "%C3%A4",
    "main",
    "HEAD",
    "own",
    "__proto__",
    "constructor",
    "*",
    ":id",
    "{id}",
  ],
  ...["a%0D%0Ab", "%20", "%E2%80%AE", "x".repeat(2000), "a.git", "ns", "", ";", "a=b", "%u0041"],
];
const KEYS = [
  ...["path", "paths[]", "id", "ids[]", "tree", "limit", "before", "scope", "recursive", "user"],
  ...[
    "on_conflict",
    "paths",
    "dir",
    "filename",
    "wait",
    "format",
    "search",
    "author",
    "cursor",
    "sort",
  ],
];
const VALUES = [
  ...[
    "",
    "0",
    "1",
    "-1",
    "1e9",
    "9".repeat(400),
    "true",
    "a",
    "/",
    "a/b",
    "..",
    "null",
    "NaN",
    "%",
  ],
  ...[
    "Bearer",
    "Bearer x",
    "Basic",
    "Basic Og==",
    "Basic /w==",
    "bytes=0-",
    "bytes=5-1",
    "bytes=-0",
  ],
  ...[
    "bytes=0-0,2-3",
    "bytes=99999999999999999999-",
    "items=0-1",
    "*",
    '"',
    '"a"',
    'W/"a"',
    '"a", "b"',
  ],
  ...["Thu, 01 Jan 1970 00:00:00 GMT", "0000-00-00", "gzip", "chunked", "identity", "text/plain"],
  ...["application/json", "multipart/form-data", "multipart/form-data; boundary=", "path YQ=="],
  ...["multipart/form-data; boundary=b", "application/vnd.git-lfs+json", "application/x-ndjson"],
  ...[
    "md5=:AA==:",
    "sha-256=:AA==:",
    "sha-256=::",
    "path",
    "path YQ==,path YQ==",
    "path /w==",
    ",",
  ],
  ...[
    "sha1 AA==",
    "md5 %",
    ";",
    "=",
    "for=",
    "for=_x;proto=https;host=a:80:90",
    "host=[::1",
    "proto=file",
  ],
  ...[
    "127.0.0.1",
    "[::1]:80",
    "unknown",
    "1.0.0",
    "0.2.2",
    "100-continue",
    "close",
    "upgrade",
    "h2c",
  ],
  ...[
    "strongroom_console=",
    "strongroom_console=a; strongroom_console=b",
    "same-origin",
    "cross-site",
  ],
  ...["\u00ff", "\u00e4", "\t", "a".repeat(8000), CONTENT_TYPE, "GET", "PATCH", "\u0000", "\u007f"],
];
const HEADERS = [
  ...["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"],
  ...[
    "Content-Type",
    "Content-Encoding",
    "Transfer-Encoding",
    "Content-Length",
    "Content-MD5",
    "Expect",
  ],
  ...[
    "Content-Digest",
    "Repr-Digest",
    "Accept",
    "Accept-Encoding",
    "Cookie",
    "Origin",
    "Connection",
  ],
  ...["Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Offset", "Upload-Checksum"],
  ...[
    "Upload-Concat",
    "Upload-Defer-Length",
    "X-HTTP-Method-Override",
    "X-Request-Id",
    "Last-Event-ID",
  ],
  ...[
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Forwarded-Prefix",
  ],
  ...["Sec-Fetch-Site", "X-Strongroom-Console", "Access-Control-Request-Method", "Upgrade", "TE"],
  ...["Authorization", "User-Agent", "HTTP2-Settings", "traceparent", "Accept-Language"],
];

/** A request as it goes over the wire. Each character is a byte. */
interface Head {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/**
 * Sends requests that the seed decides on.
 *
 * @throws {Error} with the request, when a reply or the log says that the server failed.
 */
export async function checkHeads(server: TestServer, options: HeadsOptions): Promise<Statuses> {
  const random = seededRandom(options.seed);
  const routes = server.app.routes.filter(({ method }) => method !== "ALL");
  const client = await server.as(1, ...USER_PRIVILEGES, "scans.run", "scans.view");
  await client.put("a", "content");
  const { token } = client;
  const statuses: Statuses = new Map();
  for (let sent = 0; sent < options.requests; sent += AT_ONCE) {
    const heads = Array.from({ length: AT_ONCE }, () => randomHead(random, { routes, token }));
    const isHttp2 = random(4) === 0;
    const replies = await Promise.all(
      heads.map((head) => isHttp2 ? sendHttp2(server, head) : sendHttp1(server, head)),
    );
    replies.forEach((status, index) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isFault = status !== "closed" && FAULTS.has(status);
      if (isFault) throw new Error(`${status} for ${JSON.stringify(heads[index])}`);
    });
    const fault = server.log.splice(0).find((line) => JSON.parse(line).level === "error");
    if (fault !== undefined) throw new Error(`${fault} after one of ${JSON.stringify(heads)}`);
  }
  return statuses;
}

function randomHead(
  random: Random,
  { routes, token }: { readonly routes: readonly RouterRoute[]; readonly token: string },
): Head {
  const oneOf = (texts: readonly string[]) => texts[random(texts.length)] ?? "";
  const route = routes[random(routes.length)];
  const seldom = (texts: readonly string[], usual: string) =>
    random(6) === 0 ? oneOf(texts) : usual;
  const path = mutated(
    random,
    addressOf(route?.path ?? "/", () => seldom(SEGMENTS, oneOf(["a", "1"]))),
  );
  const query = Array.from(
    { length: random(3) },
    () => `${oneOf(KEYS)}=${encodeURI(seldom(SEGMENTS, oneOf(VALUES)))}`,
  );
  const headers = Array.from(
    { length: random(4) },
    () => [oneOf(HEADERS), mutated(random, oneOf(VALUES))] as const,
  );
  return {
    method: seldom(METHODS, route?.method ?? "GET"),
    scheme: seldom(SCHEMES, "http"),
    host: mutated(random, seldom(HOSTS, "127.0.0.1")),
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers: random(5) === 0 ? headers : [["Authorization", `Bearer ${token}`], ...headers],
    body: seldom(["{}", "[]", '{"path":1}', "\u0000", "--b\r\n\r\n\r\n--b--\r\n"], ""),
  };
}

/** An address of a route, with something for each of its parameters. */
function addressOf(route: string, segment: () => string): string {
  return route.replaceAll(/:\w+(?:\{[^}]*\})?\??|\*/g, segment);
}

/** Sometimes, a text with one character less, twice, or replaced. */
function mutated(random: Random, text: string): string {
  if (random(16) !== 0) return text;
  const at = random(text.length + 1);
  const other = String.fromCharCode(random(256));
  const middle = ["", text.slice(at, at + 1).repeat(2), other][random(3)] ?? "";
  return text.slice(0, at) + middle + text.slice(at + 1);
}

/** Sends a request by HTTP/1.1, in absolute form if its scheme is not http. */
async function sendHttp1(
  { server }: TestServer,
  { method, scheme, host, path, headers, body }: Head,
): Promise<number | "closed"> {
  const { hostname, port } = server.address;
  using connection = await Deno.connect({ hostname, port });
  const target = scheme === "http" ? path : `${scheme}://${host}${path}`;
  const framing = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...framing ? [] : [`Content-Length: ${body.length}`],
  ];
  const text = `${lines.join("\r\n")}\r\n\r\n${body}`;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    // A request whose body is not whole ends here.
    await connection.closeWrite();
    return await statusOf(connection);
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe) {
      return "closed";
    }
    throw error;
  }
}

async function statusOf(connection: Deno.Conn): Promise<number | "closed"> {
  const buffer = new Uint8Array(4096);
  let text = "";
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) return "closed";
    text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(text)?.[1] ?? 0);
    if (status >= 200) return status;
    text = text.replace(/^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/, "");
  }
}

/** Sends a request by HTTP/2. What its client library refuses to send counts as `closed`. */
async function sendHttp2(
  { origin }: TestServer,
  { method, scheme, host, path, headers, body }: Head,
): Promise<number | "closed"> {
  const { promise, resolve } = Promise.withResolvers<number | "closed">();
  const session = http2.connect(origin);
  session.on("error", () => resolve("closed"));
  try {
    const stream = session.request({
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      ":method": method,
      ":scheme": scheme,
      ":authority": host,
      ":path": path,
    });
    stream.on("response", ({ ":status": status }) => resolve(status ?? "closed"));
    stream.on("error", () => resolve("closed"));
    stream.on("close", () => resolve("closed"));
    stream.end(body);
  } catch {
    resolve("closed");
  }
  try {
    return await promise;
  } finally {
    session.destroy();
  }
}
