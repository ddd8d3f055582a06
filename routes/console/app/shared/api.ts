import type { ConsoleSession } from "../../../../schemas/console.ts";
import { EVENT_HEADER, EVENTS_PATH, ongoing } from "./beginning.ts";
import { jsonItems } from "./json_items.ts";
import { goTo } from "./router.ts";
import { CONSOLE } from "./server_url.ts";
import { currentTree, session, type SessionState, shownAt, shownTree } from "./session.ts";
import { Store } from "./store.ts";
import { Watch } from "./watch.ts";

/** Grows with each change that this page has made. */
export const ownChanges = new Store(0);

/**
 * The headers that the server requires of the console. Pages of other origins cannot send them. The name of the
 * session keeps a page from acting in the one that another window has begun since.
 */
export function consoleHeaders(): Record<string, string> {
  const { value } = session;
  return { "X-Strongroom-Console": value.kind === "signedIn" ? value.session.name : "none" };
}

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
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request acts in the tree that is shown. @default true */
  readonly inTree?: boolean;
}

/** The routes that read what was (C 26). */
const READS_PAST = /^\/(?:files\/.*|resources\/(?:stat|verdicts|download|facts|signature)?)$/;

/** The address of a route of the API, below the base: about the tree that is shown, in the state that is shown. */
export function apiUrl(path: string, query: Query = {}, inTree = true): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const it of typeof value === "string" ? [value] : value ?? []) parameters.append(name, it);
  }
  const tree = currentTree();
  if (inTree && tree !== undefined) parameters.append("tree", String(tree));
  const { value: at } = shownAt;
  if (inTree && at !== undefined && READS_PAST.test(path)) parameters.append("at", at);
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
  { query, json, headers, signal, inTree }: RequestOptions = {},
): Promise<Response> {
  const beginning = method === "GET" && path !== EVENTS_PATH ? ongoing() : undefined;
  const response = await send(apiUrl(path, query, inTree), {
    method,
    headers: {
      ...headers,
      ...(json !== undefined && { "Content-Type": "application/json" }),
      ...(beginning && { [EVENT_HEADER]: "?" }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(signal && { signal }),
  });
  const last = response.headers.get(EVENT_HEADER);
  if (last !== null) beginning?.hasRead(last);
  return response;
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
  try {
    const { data }: { data: T } = await response.json();
    return data;
  } catch (error) {
    throw options.signal?.aborted ? error : unreachable(error);
  }
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

/** Signs in by the answer to a step. @throws {ApiError} */
export async function signInBy(path: string, json: unknown): Promise<void> {
  await startSession("POST", {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(json),
  }, path);
}

/** Requests what the console alone has, and returns the data of the reply. @throws {ApiError} */
export async function ownCall<T>(method: string, path: string, json?: unknown): Promise<T> {
  const response = await send(`${CONSOLE}${path}`, {
    method,
    ...(json !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(json),
    }),
  });
  const { data }: { data: T } = await response.json();
  return data;
}

/** Finds out who is signed in. @throws {ApiError} when the server cannot be reached. */
export async function resumeSession(): Promise<void> {
  try {
    await startSession("GET");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    endSession();
  }
}

/** Asks again what the person who is signed in may do. @throws {ApiError} */
export async function refreshSession(): Promise<void> {
  await startSession("GET");
}

/** Other windows of the console: they ask the server again when a person signs in or out. */
const windows = new BroadcastChannel("strongroom_session");
windows.onmessage = () => {
  // Without an answer, the next request tells.
  resumeSession().catch(() => {});
};

/** Whose session the page has had. */
let user: number | undefined;

async function startSession(
  method: "GET" | "POST",
  options: RequestInit = {},
  path = "/session",
): Promise<void> {
  const response = await send(`${CONSOLE}${path}`, { ...options, method });
  const { data }: { data: ConsoleSession } = await response.json();
  if (method === "POST") windows.postMessage(null);
  if (user !== undefined && user !== data.user_id) return await startAnew();
  user = data.user_id;
  const { value } = session;
  // All that is shown is loaded again for another session, or other rights.
  if (value.kind === "signedIn" && JSON.stringify(value.session) === JSON.stringify(data)) return;
  session.set({ kind: "signedIn", session: data });
}

/** Loads the page again, so that nothing is left in it of the person who was signed in before. */
function startAnew(): Promise<never> {
  endSession();
  history.replaceState(null, "", location.pathname);
  location.reload();
  return new Promise(() => {});
}

/** Signs out. @throws {ApiError} */
export async function signOut(): Promise<void> {
  await send(`${CONSOLE}/session`, { method: "DELETE" });
  endSession();
  windows.postMessage(null);
}

function endSession(reason?: string): void {
  // An address that names a tree is kept for whoever signs in first.
  const isFirst = session.value.kind === "unknown";
  session.set({ kind: "signedOut", ...(reason !== undefined && { reason }) });
  if (isFirst || shownTree.value === undefined) return;
  shownTree.set(undefined);
  goTo("files");
}

async function send(url: string, options: RequestInit): Promise<Response> {
  const { value: sender } = session;
  const { signal } = options;
  // What changes something may take its time, and must not be sent twice.
  const isReading = options.method === "GET" || options.method === "HEAD";
  const watch = isReading ? new Watch(() => unreachable(undefined)) : undefined;
  const signals = [signal, watch?.signal].filter((it) => it !== undefined && it !== null);
  let response;
  watch?.wait();
  try {
    response = await fetch(url, {
      ...options,
      headers: { ...consoleHeaders(), ...options.headers },
      credentials: "same-origin",
      redirect: "error",
      signal: AbortSignal.any(signals),
    });
  } catch (error) {
    throw signal?.aborted ? error : unreachable(error);
  } finally {
    watch?.rest();
  }
  const { body } = response;
  if (watch !== undefined && body !== null) response = new Response(watch.over(body), response);
  if (response.ok) {
    if (!isReading) ownChanges.set(ownChanges.value + 1);
    return response;
  }
  const failure = errorOf(response.status, response.headers, await response.text());
  if (failure.status === 401) expireSession(failure, sender);
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

/**
 * Shows the sign-in again, as the credential does not count any more.
 *
 * @param sender The session of the request: the person may have signed in again since.
 */
export function expireSession(error: ApiError, sender: SessionState): void {
  if (session.value.kind !== "signedIn" || session.value !== sender) return;
  endSession(error.message);
}

function parsed(text: string): { code?: string; msg?: string } {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy replied in place of the server.
    return {};
  }
}

/** That the server was not reached. */
export function unreachable(cause: unknown): ApiError {
  const error = new ApiError("offline", "The server cannot be reached");
  error.cause = cause;
  return error;
}
