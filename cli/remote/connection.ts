import * as v from "valibot";
import { USER_NAMED } from "../../schemas/people.ts";
import { UsageError } from "../usage_error.ts";
import { httpClient } from "./authority.ts";
import { findLogin } from "./find_login.ts";
import type { Login } from "./login_file.ts";
import { ConnectionLost, RemoteError } from "./remote_error.ts";
import { readJson, reasonOf } from "./reply.ts";
import { retried } from "./retry.ts";
import { apiUrl, serverUrl } from "./server_url.ts";

/** Query parameters. An array repeats its parameter; one without a value is left out, `tree` as well. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  /** Returns the body, anew for each attempt. @default none */
  readonly body?: () => BodyInit | Promise<BodyInit>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * When to send the request again: never, if the server was too busy for it, or also if the connection
   * broke. @default "always" for GET and HEAD, otherwise "busy"
   */
  readonly retry?: "never" | "busy" | "always";
}

/** The options by which commands choose a server and a tree. */
export interface ConnectionOptions {
  /** The URL of the server. @default that of the environment or of `strongroom login` */
  readonly server?: string | undefined;
  /** The name or the id of the user whose tree is used. @default that of the credential */
  readonly tree?: string | undefined;
  /** The version, time or tag at which the tree is read (C 26). @default it is read as it is */
  readonly at?: string | undefined;
}

const Refusal = v.object({ status: v.literal("error"), code: v.string(), msg: v.string() });
const Subject = v.object({ sub: v.pipe(v.string(), v.regex(/^[1-9]\d{0,15}$/)) });
const Expiry = v.object({ exp: v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e12)) });

/** A connection to a server with a credential (C 25). Its requests act in one tree. */
export class Connection {
  readonly #token: string;
  readonly #cacert: string | undefined;
  #client: Promise<Deno.HttpClient | undefined> | undefined;
  /** The URL of the API. */
  readonly url: string;
  /** The user whose tree is used. Undefined leaves it to the server. */
  readonly tree: string | undefined;
  /** The version, time or tag at which the tree is read. */
  readonly #at: string | undefined;

  /** @param tree The user whose tree is used. @default that of the credential */
  constructor({ url, token, cacert }: Login, tree?: string, at?: string) {
    if (!/^[\w.~+/-]+=*$/.test(token)) throw new UsageError("The credential is not a bearer token");
    this.url = apiUrl(url, "URL of the server");
    this.#token = token;
    this.#cacert = cacert;
    this.#at = at;
    // An administrator who names no tree would see those of all users, in one.
    this.tree = tree ?? subjectOf(token);
  }

  /**
   * A connection to the server that the options or the environment name, or else that of `strongroom login`.
   *
   * @throws {UsageError} when no server or credential is known, the server is not a URL, or the tree neither a user id nor a name.
   */
  static async open({ tree, server, at }: ConnectionOptions): Promise<Connection> {
    if (tree !== undefined && !USER_NAMED.test(tree)) {
      throw new UsageError(`--tree must be the name or the id of a user, not "${tree}"`);
    }
    if (server === "") throw new UsageError('--server must be the URL of a server, not ""');
    return new Connection(await findLogin(server), tree, at);
  }

  /** The address of a file (C 17). */
  static filePath(path: string): string {
    return `/files/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  /**
   * Sends a request to a path of the API. It is repeated while the server is busy.
   *
   * @throws {RemoteError} when the server refuses it.
   * @throws {ConnectionLost} when the server cannot be reached.
   */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { signal, retry = ["GET", "HEAD"].includes(method) ? "always" : "busy" } = options;
    const attempt = () => this.#send(method, path, options);
    return retry === "never"
      ? attempt()
      : retried(attempt, { signal, isRepeatable: retry === "always" });
  }

  /** Like {@link request}, with a value as the body. Returns `data` of the reply. */
  async json<Schema extends v.GenericSchema>(
    schema: Schema,
    method: string,
    path: string,
    { value, ...options }: Omit<RequestOptions, "body"> & { readonly value?: unknown } = {},
  ): Promise<v.InferOutput<Schema>> {
    const response = await this.request(method, path, {
      ...options,
      ...value !== undefined && {
        body: () => JSON.stringify(value),
        headers: { ...options.headers, "Content-Type": "application/json" },
      },
    });
    const reply = v.safeParse(v.object({ data: schema }), await this.#readJson(response));
    if (reply.success) return reply.output.data;
    throw new Error(`The server at ${serverUrl(this.url)} sent a reply that is not understood`);
  }

  /** A body that is one JSON value; undefined if it is not JSON. */
  async #readJson(response: Response): Promise<unknown> {
    try {
      return await readJson(response);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async #send(
    method: string,
    path: string,
    { query = {}, body, headers, signal }: RequestOptions,
  ): Promise<Response> {
    const at = method === "GET" ? this.#at : undefined;
    const all = { tree: this.tree, at, ...query };
    const response = await this.#fetch(`${this.url}${path}${queryString(all)}`, {
      method,
      headers: { ...headers, Authorization: `Bearer ${this.#token}` },
      // Another host would get the credential.
      redirect: "manual",
      ...body !== undefined && { body: await body() },
      ...signal !== undefined && { signal },
    });
    if (response.ok) return response;
    throw await this.#refusal(response);
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const client = await (this.#client ??= httpClient(this.#cacert));
    try {
      return await fetch(url, client === undefined ? init : { ...init, client });
    } catch (error) {
      init.signal?.throwIfAborted();
      if (!(error instanceof TypeError)) throw error;
      throw new ConnectionLost(
        `Cannot reach the server at ${serverUrl(this.url)}: ${reasonOf(error)}`,
        { cause: error },
      );
    }
  }

  async #refusal(response: Response): Promise<Error> {
    const server = serverUrl(this.url);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const target = response.headers.get("Location") ?? "elsewhere";
      return new UsageError(
        `The server at ${server} redirects to ${printable(target)}: log in there`,
      );
    }
    const refusal = v.safeParse(Refusal, await this.#readJson(response));
    if (!refusal.success) {
      const message = `The server at ${server} replied with status ${response.status}`;
      return new RemoteError(response.status, "ErrUnknown", message, retryAfter(response));
    }
    const { code, msg } = refusal.output;
    const advice = response.status === 401 ? "; run strongroom login, or set STRONGROOM_TOKEN" : "";
    return new RemoteError(
      response.status,
      code,
      printable(`${msg}${advice} (${code})`),
      retryAfter(response),
    );
  }
}

/** The user of a credential. The server verifies it; this only reads it. */
function subjectOf(token: string): string | undefined {
  const claims = v.safeParse(Subject, claimsOf(token));
  return claims.success ? claims.output.sub : undefined;
}

/** When a credential ends, in milliseconds since the Unix epoch. Undefined if it does not say so. */
export function expiryOf(token: string): number | undefined {
  const claims = v.safeParse(Expiry, claimsOf(token));
  return claims.success ? claims.output.exp * 1000 : undefined;
}

/** What a credential says. It may be opaque, and then the server decides. */
function claimsOf(token: string): unknown {
  try {
    return JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}

function queryString(query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((it) => [name, it])
  );
  const encoded = parameters.map((pair) => pair.map(encodeURIComponent).join("="));
  return encoded.length === 0 ? "" : `?${encoded.join("&")}`;
}

/** Text of a server that has no effect on a terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "\ufffd");
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
