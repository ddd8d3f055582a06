import type { ConsoleSession } from "../../../../schemas/console.ts";
import { jsonItems } from "./json_items.ts";
import { currentTree, session, shownTree } from "./session.ts";

const CONSOLE = "/console";
/** The server accepts no request of the console without it. Pages of other origins cannot send it. */
export const HEADERS: Readonly<Record<string, string>> = { "X-Strongroom-Console": "1" };

/** Why a request failed. */
export class ApiError extends Error {
  /** The kind of the error, or `offline` if the server was not reached. */
  readonly code: string;
  /** 0 if the server was not reached. */
  readonly status: number;
  /** When to try again, if the server has said so. */
  readonly retryAfterS: number | undefined;

  constructor(code: string, message: string, status = 0, retryAfterS?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }

  get isOffline(): boolean {
    return this.code === "offline";
  }
}

/** Parameters of a query. An array repeats its parameter. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: Blob | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request acts in the tree that is shown. @default true */
  readonly inTree?: boolean;
}

/** The address of a route of the API, below the base. */
export function apiUrl(path: string, query: Query = {}, inTree = true): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const it of typeof value === "string" ? [value] : value ?? []) parameters.append(name, it);
  }
  const tree = currentTree();
  if (inTree && tree !== undefined) parameters.append("tree", String(tree));
  const text = parameters.toString();
  return `${CONSOLE}/api${path}${text === "" ? "" : `?${text}`}`;
}

/**
 * Requests a route of the API. Resolves with the response if it is a success.
 *
 * @throws {ApiError}
 */
export async function request(
  method: string,
  path: string,
  { query, json, body, headers, signal, inTree }: RequestOptions = {},
): Promise<Response> {
  return await send(apiUrl(path, query, inTree), {
    method,
    headers: { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
}

/**
 * Requests a route and returns the data of its reply. Their shape is the server's promise.
 *
 * @throws {ApiError}
 */
export async function call<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const response = await request(method, path, options);
  const { data }: { data: T } = await response.json();
  return data;
}

/**
 * The items of a list of any length, in groups, as they arrive.
 *
 * @throws {ApiError}
 */
export async function* list<T>(
  path: string,
  options: RequestOptions = {},
): AsyncGenerator<readonly T[]> {
  const { body } = await request("GET", path, options);
  if (body === null) return;
  try {
    yield* jsonItems<T>(body);
  } catch (error) {
    throw options.signal?.aborted ? error : unreachable(error);
  }
}

/** Signs in with a credential. @throws {ApiError} */
export async function signIn(credential: string): Promise<void> {
  await startSession("POST", {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ credential }),
  });
}

/** Finds out who is signed in. @throws {ApiError} when the server cannot be reached. */
export async function resumeSession(): Promise<void> {
  try {
    await startSession("GET");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    session.set({ kind: "signedOut" });
  }
}

async function startSession(method: string, options: RequestInit = {}): Promise<void> {
  const response = await send(`${CONSOLE}/session`, { ...options, method });
  const { data }: { data: ConsoleSession } = await response.json();
  session.set({ kind: "signedIn", session: data });
}

/** Signs out. @throws {ApiError} */
export async function signOut(): Promise<void> {
  await send(`${CONSOLE}/session`, { method: "DELETE" });
  shownTree.set(undefined);
  session.set({ kind: "signedOut" });
}

async function send(url: string, options: RequestInit): Promise<Response> {
  let response;
  try {
    response = await fetch(url, {
      ...options,
      headers: { ...HEADERS, ...options.headers },
      credentials: "same-origin",
      redirect: "error",
    });
  } catch (error) {
    throw options.signal?.aborted ? error : unreachable(error);
  }
  if (response.ok) return response;
  const failure = errorOf(response.status, response.headers, await response.text());
  if (failure.status === 401) expireSession(failure);
  throw failure;
}

/** The error that a refused request stands for. */
export function errorOf(
  status: number,
  headers: { get(name: string): string | null },
  text: string,
): ApiError {
  const retryAfter = Number(headers.get("Retry-After") ?? Number.NaN);
  const { code = "ErrUnknown", msg = `The server replied with status ${status}` } = parsed(text);
  return new ApiError(code, msg, status, Number.isNaN(retryAfter) ? undefined : retryAfter);
}

/** Shows the sign-in again, as the credential does not count any more. */
export function expireSession(error: ApiError): void {
  if (session.value.kind !== "signedIn") return;
  session.set({ kind: "signedOut", reason: error.message });
}

function parsed(text: string): { code?: string; msg?: string } {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy replied in place of the server.
    return {};
  }
}

function unreachable(cause: unknown): ApiError {
  const error = new ApiError("offline", "The server cannot be reached");
  error.cause = cause;
  return error;
}
