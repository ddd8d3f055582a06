import * as v from "valibot";
import type { Chunk } from "../../core/content.ts";
import { AppError } from "../../core/errors.ts";
import { UpstreamAway } from "../../core/mirror/ports.ts";
import { MIB } from "../../schemas/units.ts";

const MAX_JSON_BYTES = 16 * MIB;
const MAX_ERROR_CHARS = 300;
/** How long nothing may come of a body, in milliseconds. */
const STALL_MS = 30_000;

/** A host that cannot be reached, fails, or has no time. */
export class HostAway extends UpstreamAway {
  constructor(
    readonly host: string,
    problem: string,
    retryAfterS?: number,
    options?: ErrorOptions,
  ) {
    super(`${host} ${problem}`, retryAfterS, options);
  }
}

/** The chunks of a body. */
export async function* bodyOf(
  response: Response,
  stallMs = STALL_MS,
): AsyncGenerator<Chunk, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return undefined;
  let isStalled = false;
  try {
    for (;;) {
      const timer = setTimeout(() => {
        isStalled = true;
        // The pending read ends then.
        reader.cancel().catch(() => {});
      }, stallMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (isStalled) throw new UpstreamAway(`${hostOf(response)} sends nothing any more`);
      if (done) return undefined;
      yield value;
    }
  } catch (error) {
    if (error instanceof UpstreamAway) throw error;
    throw new UpstreamAway(`${hostOf(response)} has broken off`, undefined, { cause: error });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * The JSON of a reply.
 *
 * @throws {UpstreamAway} when it is another one, or too large.
 */
export async function jsonOf<Schema extends v.GenericSchema>(
  response: Response,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  let text = "";
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of bodyOf(response)) {
    bytes += chunk.length;
    if (bytes > MAX_JSON_BYTES) throw unexpected(response, `more than ${MAX_JSON_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  let value: unknown;
  try {
    value = JSON.parse(text + decoder.decode());
  } catch {
    throw unexpected(response, "not valid JSON");
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw unexpected(response, result.issues[0].message);
}

/** What a reply that is none of success means. Reads the body to its end. */
export async function failureOf(response: Response, url: URL): Promise<Error> {
  await response.body?.cancel();
  const { status, headers } = response;
  const code = headers.get("X-Error-Code");
  const said = headers.get("X-Error-Message")?.slice(0, MAX_ERROR_CHARS);
  const reason = said === undefined ? "" : `: ${said}`;
  switch (code) {
    case "RepoNotFound":
      return new AppError("ErrHubRepositoryNotFound", `Not found at ${url.host}${reason}`);
    case "RevisionNotFound":
      return new AppError("ErrHubRevisionNotFound", `Not found at ${url.host}${reason}`);
    case "EntryNotFound":
      return new AppError("ErrHubEntryNotFound", `Not found at ${url.host}${reason}`);
    case "GatedRepo":
    case "DisabledRepo":
      return new AppError("ErrNotPermitted", `Not permitted by ${url.host} (${code})${reason}`);
  }
  if (status === 401) {
    return new AppError("ErrHubRepositoryNotFound", `Not found at ${url.host}, or for others only`);
  }
  if (status === 404 && /\/api\/(?:models|datasets)\//.test(url.pathname)) {
    return new AppError("ErrHubRepositoryNotFound", `Not found at ${url.host}`);
  }
  const problem = `answers ${status}${reason}`;
  return status >= 500 || status === 429
    ? new HostAway(url.host, problem, retryAfterOf(headers))
    : new UpstreamAway(`${url.host} ${problem}`, retryAfterOf(headers));
}

/** When to ask again, in seconds: older and newer hubs say so in different headers. */
function retryAfterOf(headers: Headers): number | undefined {
  const [, seconds] = /;\s*t=(\d{1,6})\b/.exec(headers.get("RateLimit") ?? "") ?? [];
  const given = headers.get("Retry-After") ?? seconds;
  return given !== undefined && /^\d{1,6}$/.test(given) ? Number(given) : undefined;
}

function unexpected(response: Response, reason: string): UpstreamAway {
  return new UpstreamAway(`${hostOf(response)} does not answer as a hub does: ${reason}`);
}

function hostOf({ url }: Response): string {
  return URL.parse(url)?.host ?? "The other hub";
}
