import * as assert from "node:assert/strict";
import * as v from "valibot";
import { ResourceEntry, ResourceList } from "../../schemas/resources.ts";
import { EventReader } from "./event_reader.ts";

/** A response with its whole body. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const Failure = v.strictObject({
  status: v.literal("error"),
  code: v.string(),
  msg: v.pipe(v.string(), v.nonEmpty()),
});

/** Files to upload: content by name. */
export type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;

/** Query parameters. An array repeats its parameter. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body of a move or copy request. */
export interface TransferBody {
  readonly source?: string;
  readonly sources?: readonly string[];
  readonly destination?: string;
  readonly force?: boolean;
}

/** An HTTP client with a credential. */
export class Client {
  /** @param query Parameters of each request. @default none */
  constructor(
    readonly url: string,
    readonly token: string,
    readonly query: QueryParameters = {},
  ) {}

  /** A client with the same credential whose requests name the tree of a user (C 19). */
  inTree(userId: number | string): Client {
    return new Client(this.url, this.token, { ...this.query, tree: String(userId) });
  }

  /** Sends a request with the credential. `path` is relative to the base URL. */
  fetch(path: string, init: RequestInit & { query?: QueryParameters } = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${this.token}`);
    const query = queryString({ ...this.query, ...init.query });
    const separator = query === "" ? "" : path.includes("?") ? "&" : "?";
    return fetch(this.url + path + separator + query, { ...init, headers });
  }

  /** Sends a request and reads the whole response. */
  async send(
    method: string,
    path: string,
    init: RequestInit & { query?: QueryParameters } = {},
  ): Promise<Reply> {
    const response = await this.fetch(path, { ...init, method });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  list(query: QueryParameters = {}): Promise<Reply> {
    return this.send("GET", "/resources/", { query });
  }

  upload(dir: string | undefined, files: Files, field = "files"): Promise<Reply> {
    const body = formOf(files, field);
    return this.send("POST", "/resources/", { query: { dir }, body });
  }

  /** Uploads files in one change, in place of those that are there. */
  replace(dir: string, files: Files): Promise<Reply> {
    const query = { dir, on_conflict: "replace" };
    return this.send("POST", "/resources/", { query, body: formOf(files, "files") });
  }

  /** Sends a request for the file at a path (C 17). */
  file(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    return this.send(method, `/files/${path.split("/").map(encodeURIComponent).join("/")}`, init);
  }

  /** Stores a file. */
  put(path: string, body: BodyInit, headers: HeadersInit = {}): Promise<Reply> {
    return this.file("PUT", path, { body, headers });
  }

  mkdir(path: string): Promise<Reply> {
    return this.json("POST", "/resources/mkdir", { path });
  }

  move(request: TransferBody): Promise<Reply> {
    return this.json("PUT", "/resources/move", request);
  }

  copy(request: TransferBody): Promise<Reply> {
    return this.json("POST", "/resources/copy", request);
  }

  /** Sends a request with a JSON body. */
  json(method: string, path: string, body: unknown): Promise<Reply> {
    const headers = { "Content-Type": "application/json" };
    return this.send(method, path, { body: JSON.stringify(body), headers });
  }

  remove(query: QueryParameters): Promise<Reply> {
    return this.send("DELETE", "/resources/", { query });
  }

  download(query: QueryParameters, headers: HeadersInit = {}): Promise<Response> {
    return this.fetch("/resources/download", { query, headers });
  }

  /** Downloads bytes. The download must succeed. */
  async bytes(query: QueryParameters): Promise<Uint8Array<ArrayBuffer>> {
    const response = await this.download(query);
    assert.equal(response.status, 200, response.ok ? "" : await response.clone().text());
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Lists paths. The listing must succeed. */
  async paths(query: QueryParameters = {}): Promise<string[]> {
    return items(await this.list(query)).map(({ path }) => path);
  }

  /** All paths of the user, sorted. */
  async tree(): Promise<string[]> {
    return (await this.paths({ recursive: "true" })).sort();
  }

  /** Subscribes to events. The subscription is active when this resolves. */
  async events(query: QueryParameters = {}, headers: HeadersInit = {}): Promise<EventReader> {
    const response = await this.fetch("/events/", { query, headers });
    assert.equal(response.status, 200, response.ok ? "" : await response.text());
    return EventReader.open(response);
  }
}

/** The items of a list reply. Checks the schema and the total (RS 4.1.8). */
export function items(reply: Reply): ResourceEntry[] {
  const list = v.parse(ResourceList, dataOf(reply));
  assert.equal(list.total, list.items.length);
  return list.items;
}

/** The entry of a reply. Checks its schema. */
export function entry(reply: Reply, status = 200): ResourceEntry {
  return v.parse(ResourceEntry, dataOf(reply, status));
}

/** The payload of a successful reply (RS 1.5, C 2). */
export function dataOf(reply: Reply, status = 200): unknown {
  assert.equal(reply.status, status, reply.text);
  const body = v.parse(
    v.strictObject({ status: v.literal("success"), data: v.unknown() }),
    JSON.parse(reply.text),
  );
  return body.data;
}

/** Checks that a reply is an error with this status and code (C 2), and returns its message. */
export function refused(reply: Reply, status: number, code: string): string {
  assert.equal(reply.status, status, reply.text);
  const body = v.parse(Failure, JSON.parse(reply.text));
  assert.equal(body.code, code, reply.text);
  assert.match(reply.headers.get("X-Request-Id") ?? "", /^[\w=-]+$/);
  return body.msg;
}

function queryString(query: QueryParameters): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [value].flat().map((one) => `${encodeURIComponent(key)}=${encodeURIComponent(one)}`)
  );
  return pairs.join("&");
}

function formOf(files: Files, field: string): FormData {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) {
    form.append(field, new Blob([content]), name);
  }
  return form;
}
