/** Compares what routes reply with the description of the API (C 1). */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import * as assert from "node:assert/strict";
import { openApi } from "../../routes/openapi/document.ts";
import { ROUTES } from "../../routes/routes.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { isObject } from "../../schemas/json.ts";

type Fetch = (request: Request, ...rest: never[]) => Response | Promise<Response>;
type JsonObject = Record<string, unknown>;

/** Larger replies are not compared with their schema, nor are streams: that would hold them in memory. */
const MAX_COMPARED_BYTES = 256 * 1024;

/** Headers of HTTP itself, of every reply, and one that the console alone asks for. */
const COMMON_HEADERS =
  /^(?:access-control-.*|cache-control|connection|content-encoding|content-length|content-security-policy|content-type|cross-origin-resource-policy|referrer-policy|tus-resumable|tus-version|vary|x-accel-buffering|x-content-type-options|x-strongroom-event)$/;

/** Refusals of any address, with a route or without one. */
const ANYWHERE: ReadonlySet<number> = new Set([400, 404, 415, 500, 501, 503]);

/** The status logged for a client that has gone. */
const CLIENT_GONE = 499;

const document: JsonObject = JSON.parse(JSON.stringify(openApi(ROUTES)));
const ajv = new Ajv2020({
  strict: false,
  validateSchema: false,
  validateFormats: false,
  unicodeRegExp: false,
});
ajv.addSchema(document, "openapi");
const validators = new Map<string, ValidateFunction>();

/** Every described path with a pattern for addresses. */
const PATHS = Object.keys(objectAt("paths")).map((path) => ({
  path,
  pattern: new RegExp(
    `^${path.replace(/\{path\}$/, "[\\s\\S]+").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`,
  ),
}));

/** The replies of a server. */
export class DescribedReplies implements Disposable {
  readonly #faults = new Set<string>();
  readonly #base: string;

  /** @param base The path of the public URL, which addresses may have. */
  constructor(base: string) {
    this.#base = base;
  }

  /** A handler of requests whose replies are compared. */
  compare<F extends Fetch>(fetch: F): F {
    return (async (request: Request, ...rest: never[]) => {
      const response = await fetch(request, ...rest);
      const { method } = request;
      const url = request.url.replace(`${this.#base}/`, "/");
      for (const fault of await faultsOf({ method, url }, response)) this.#faults.add(fault);
      return response;
    }) as F;
  }

  /** @throws {AssertionError} when a reply was not as described. */
  [Symbol.dispose](): void {
    assert.equal(
      [...this.#faults].join("\n"),
      "",
      `Not described: ${[...this.#faults].join("; ")}`,
    );
  }
}

/** How a reply differs from its description. */
export async function faultsOf(
  { method, url }: Pick<Request, "method" | "url">,
  response: Response,
): Promise<string[]> {
  const { status } = response;
  if (status === CLIENT_GONE) return [];
  const pathname = pathOf(url).replace(/^\/console\/api(?=\/)/, BASE_PATH);
  // The hub, WebDAV and S3 are protocols that others define.
  if (/^\/(?:(?:hub|dav|s3|own)(?:\/|$)|tree-)/.test(pathname)) return [];
  // The console has no other clients than itself, and refuses those.
  if (/^\/+(?:console\/.*)?$/s.test(pathname)) return [];
  // So does the page of links whose token is in the fragment.
  if (/^\/l\/?$/.test(pathname)) return [];
  if (status >= 400 && pathname !== pathOf(url)) return [];
  const known = PATHS.find(({ pattern }) => pattern.test(pathname));
  const subject = `${method} ${known?.path ?? "(no route)"} ${status}`;
  const operations = known === undefined ? undefined : objectAt("paths", known.path);
  // Methods are case-sensitive.
  const verb = /^[A-Z]+$/.test(method) ? method.toLowerCase() : "";
  const name = operations !== undefined && verb === "head" && !("head" in operations)
    ? "get"
    : verb;
  if (known === undefined || operations === undefined || !(name in operations)) {
    // Besides 405, preflights of CORS.
    const expected = method === "OPTIONS" || known !== undefined && status === 405;
    return expected || ANYWHERE.has(status) ? [] : [`${subject}: unexpected`];
  }
  const at = resolved("paths", known.path, name, "responses", String(status));
  if (at === undefined) return [`${subject}: not described`];
  const faults = [
    ...headerFaults(response.headers, at),
    ...method === "HEAD" ? [] : await contentFaults(response, at),
  ];
  return faults.map((fault) => `${subject}: ${fault}`);
}

/** The path of an address, decoded as for routing. Not by URL, which refuses what the server is to refuse. */
function pathOf(url: string): string {
  const path = url.replace(/^[^:]*:\/\/[^/?#]*/, "").replace(/[?#].*$/s, "") || "/";
  try {
    return decodeURI(path);
  } catch {
    // It is not UTF-8, and is routed as it is.
    return path;
  }
}

function headerFaults(headers: Headers, at: readonly string[]): string[] {
  const described = objectAt(...at, "headers");
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
  const missing = Object.keys(described).filter((name) => {
    const header = resolved(...at, "headers", name);
    return header !== undefined && objectAt(...header).required === true && !headers.has(name);
  });
  const others = [...headers.keys()].filter((name) =>
    !names.has(name) && !COMMON_HEADERS.test(name)
  );
  return [
    ...missing.map((name) => `the header ${name} is missing`),
    ...others.map((name) => `the header ${name} is not described`),
  ];
}

async function contentFaults(response: Response, at: readonly string[]): Promise<string[]> {
  const type = (response.headers.get("Content-Type") ?? "none").replace(/;.*/, "");
  const content = objectAt(...at, "content");
  if (type === "none" && Object.keys(content).length === 0) return [];
  if (!(type in content)) return [`the type ${type} is not described`];
  const length = Number(response.headers.get("Content-Length") ?? Infinity);
  if (type !== "application/json" || length > MAX_COMPARED_BYTES) return [];
  const validate = validatorOf([...at, "content", type, "schema"]);
  const { headers, body } = response.clone();
  const isCompressed = headers.get("Content-Encoding") === "gzip";
  const text = isCompressed ? body?.pipeThrough(new DecompressionStream("gzip")) : body;
  if (validate(await new Response(text ?? null).json())) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`
  );
}

function validatorOf(at: readonly string[]): ValidateFunction {
  const pointer = at.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
  const known = validators.get(pointer);
  if (known !== undefined) return known;
  const validate = ajv.compile({ $ref: `openapi#/${encodeURI(pointer)}` });
  validators.set(pointer, validate);
  return validate;
}

/** The keys that lead to an object, or to what it refers to. */
function resolved(...at: string[]): readonly string[] | undefined {
  const found = valueAt(at);
  if (!isObject(found)) return undefined;
  const { $ref } = found;
  return typeof $ref === "string" ? $ref.replace(/^#\//, "").split("/") : at;
}

function objectAt(...at: string[]): JsonObject {
  const found = valueAt(at);
  return isObject(found) ? found : {};
}

function valueAt(at: readonly string[]): unknown {
  let found: unknown = document;
  for (const key of at) found = isObject(found) ? found[key] : undefined;
  return found;
}
