/** Requests to the S3 door that others have changed after they were signed (C 30). */

import * as assert from "node:assert/strict";
import { type Random, seededRandom } from "../support/random.ts";
import { S3Client, type S3Request, type SignedRequest } from "../support/s3_client.ts";
import type { TestServer } from "../support/server.ts";

const MINUTE_MS = 60_000;
const HEX = "0123456789abcdef";

/** Changes a signed request so that its signature is another's. Undefined if it has no place for the change. */
type Forge = (request: SignedRequest, random: Random) => SignedRequest | undefined;

/** Changes the digit of a hexadecimal number at a place. */
function otherDigit(text: string, pattern: RegExp, random: Random): string | undefined {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const [number] = found;
  const at = found.index + random(number.length);
  const digit = HEX[(HEX.indexOf(text.charAt(at)) + 1 + random(15)) % 16];
  return text.slice(0, at) + digit + text.slice(at + 1);
}

function withHeader(request: SignedRequest, name: string, value: string): SignedRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

function withPath(request: SignedRequest, random: Random, inserted: string): SignedRequest {
  const { path } = request;
  const at = "/s3/own".length + random(path.length - "/s3/own".length + 1);
  return { ...request, path: path.slice(0, at) + inserted + path.slice(at) };
}

const pick = <T>(random: Random, items: readonly T[]): T | undefined => items[random(items.length)];

const FORGERIES: Readonly<Record<string, Forge>> = {
  "signature in the header"(request, random) {
    const { Authorization = "" } = request.headers;
    const changed = otherDigit(Authorization, /(?<=Signature=)[0-9a-f]{64}/, random);
    return changed === undefined ? undefined : withHeader(request, "Authorization", changed);
  },
  "signature in the address"(request, random) {
    const query = otherDigit(request.query, /(?<=Signature=)[0-9a-f]{64}/, random);
    return query === undefined ? undefined : { ...request, query };
  },
  date(request, random) {
    const time = new Date(Date.now() + (1 + random(14)) * MINUTE_MS * (random(2) === 0 ? 1 : -1));
    const text = time.toISOString().replaceAll(/[-:]|\.\d+/g, "");
    return request.headers["x-amz-date"] === undefined
      ? { ...request, query: request.query.replace(/(?<=X-Amz-Date=)\w+/, text) }
      : withHeader(request, "x-amz-date", text);
  },
  region(request, random) {
    const region = pick(random, ["eu-west-1", "us-east-2", "us-east-10", "US-EAST-1"]) ?? "";
    const { Authorization } = request.headers;
    return Authorization === undefined
      ? { ...request, query: request.query.replace("us-east-1", region) }
      : withHeader(request, "Authorization", Authorization.replace("us-east-1", region));
  },
  "order of headers"(request) {
    const { Authorization = "" } = request.headers;
    const [, names = ""] = /SignedHeaders=([^,]+)/.exec(Authorization) ?? [];
    const reversed = names.split(";").reverse().join(";");
    return reversed === names
      ? undefined
      : withHeader(request, "Authorization", Authorization.replace(names, reversed));
  },
  "a signed header"(request, random) {
    const names = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
    const name = pick(random, names);
    return name === undefined ? undefined : withHeader(request, name, `1${request.headers[name]}`);
  },
  "another header": (request, random) =>
    withHeader(request, `x-amz-meta-${random(1000)}`, String(random(1000))),
  "a parameter"(request, random) {
    const added = pick(random, ["tagging", "uploads", "partNumber=1", "x-id=PutObject", "a=%00"]);
    return { ...request, query: [request.query, added].filter((it) => it !== "").join("&") };
  },
  method(request, random) {
    const method = pick(random, ["GET", "PUT", "POST", "DELETE"]) ?? "";
    return method === request.method ? undefined : { ...request, method };
  },
  body(request, random) {
    // That of an address is not signed, and that of a GET is dropped unread.
    if (request.headers.Authorization === undefined || request.method === "GET") return undefined;
    if (typeof request.body !== "string") return undefined;
    const at = random(request.body.length + 1);
    const body = request.body.slice(0, at) + "x" + request.body.slice(at + random(2));
    return body === request.body ? undefined : { ...request, body };
  },
  "a key with ..": (request, random) => withPath(request, random, "/../"),
  "a key with %00": (request, random) => withPath(request, random, "%00"),
  "a key with //": (request, random) => withPath(request, random, "//"),
  "an encoding"(request, random) {
    const encoded = pick(random, ["%252e", "%2e%2e%2f", "%2F", "%ff", "%zz", "+", "%20", "a"]);
    return withPath(request, random, encoded ?? "");
  },
  bucket: (request, random) => ({
    ...request,
    path: request.path.replace("/own", pick(random, ["/tree-7", "/tree-8", "/tree-9", ""]) ?? ""),
  }),
};

/** The kinds of forged requests. */
export const KINDS: readonly string[] = Object.keys(FORGERIES);

/**
 * Sends forged requests, in turn of each kind, and fails at the first that is not refused or that has changed
 * something.
 *
 * @returns how many of each kind were sent.
 */
export async function sendForged(
  server: TestServer,
  { seed, requests }: { readonly seed: number; readonly requests: number },
): Promise<ReadonlyMap<string, number>> {
  const random = seededRandom(seed);
  const client = await S3Client.of(server);
  const path = "/s3/own/dir/a%20b.txt";
  const put: S3Request = { method: "PUT", path, body: "forged", headers: { "x-amz-meta-a": "1" } };
  const copy = { "x-amz-copy-source": "/own/dir/other" };
  const originals: readonly (() => SignedRequest)[] = [
    () => client.sign(put),
    () => client.presign(put),
    () => client.signChunks(put, ["forged 1", "forged 2"]),
    () => client.sign({ method: "DELETE", path }),
    () => client.presign({ method: "DELETE", path }),
    () => client.sign({ method: "GET", path: "/s3/own", query: { "list-type": "2" } }),
    () => client.sign({ method: "PUT", path, headers: copy }),
    () => client.sign({ method: "POST", path, query: { uploads: "" } }),
  ];
  await client.request({ ...put, body: "original" });
  await client.request({ method: "PUT", path: "/s3/own/dir/other", body: "other" });
  const state = async () => [
    (await client.request({ method: "GET", path })).body,
    (await client.request({ method: "GET", path: "/s3/own" })).body,
    (await client.request({ method: "GET", path: "/s3/own", query: { uploads: "" } })).body,
  ];
  const before = await state();
  const sent = new Map<string, number>();
  for (let count = 0; count < requests;) {
    const kind = KINDS[count % KINDS.length] ?? "";
    const original = originals[random(originals.length)]?.();
    const forged = original && FORGERIES[kind]?.(original, random);
    if (forged === undefined) continue;
    const { status, body } = await client.send(forged);
    const words =
      `${kind} of seed ${seed}: ${status} to ${forged.method} ${forged.path}?${forged.query}`;
    assert.ok(status >= 400 && status < 500, `${words}\n${body}`);
    sent.set(kind, (sent.get(kind) ?? 0) + 1);
    count++;
    if (count % 100 === 0 || count === requests) assert.deepEqual(await state(), before, words);
  }
  return sent;
}
