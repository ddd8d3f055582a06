import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Client, Reply } from "./client.ts";
import type { TestServer } from "./server.ts";

/** A client of the hub, of a tree and for a kind of repositories. */
export class HubClient {
  readonly token: string;
  /** The URL of the hub. */
  readonly url: string;

  /**
   * @param tree The user whose tree it acts in. @default the client's own
   * @param mount Another part of the hub, such as `/m`. @default none
   */
  constructor(
    { origin }: Pick<TestServer, "origin">,
    { token }: Client,
    tree?: number,
    mount = tree === undefined ? "" : `/t/${tree}`,
  ) {
    this.token = token;
    this.url = `${origin}/hub${mount}`;
  }

  /** Sends a request with the credential, unless headers have another one. */
  async send(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = new Headers(init.headers);
    if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${this.token}`);
    const response = await fetch(this.url + path, { ...init, method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Posts JSON. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send("POST", path, {
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  }

  /** Creates a model, or a data set. */
  create(id: string, type: "model" | "dataset" = "model"): Promise<Reply> {
    const [organization, name] = id.split("/");
    return this.post("/api/repos/create", { organization, name, type });
  }
}

/** The JSON of a reply, which must be one of success. */
export function jsonOf(reply: Reply, status = 200): unknown {
  assert.equal(reply.status, status, reply.text);
  return JSON.parse(reply.text);
}

/** Checks that a reply is an error in the form of the hub (C 20), and returns its message. */
export function hubRefused(reply: Reply, status: number, code?: string): string {
  assert.equal(reply.status, status, reply.text);
  const body: unknown = JSON.parse(reply.text);
  assert.ok(typeof body === "object" && body !== null && "error" in body, reply.text);
  assert.equal(reply.headers.get("X-Error-Code"), code ?? null, reply.text);
  assert.ok(reply.headers.get("X-Error-Message"), reply.text);
  assert.equal(typeof body.error, "string");
  return String(body.error);
}

const Actions = v.object({
  upload: v.optional(v.object({ href: v.string(), expires_at: v.string() })),
  verify: v.optional(v.object({ href: v.string() })),
  download: v.optional(v.object({ href: v.string(), expires_at: v.string() })),
});

/** The reply to a batch request, as far as the clients read it. */
const BatchReply = v.strictObject({
  transfer: v.literal("basic"),
  hash_algo: v.literal("sha256"),
  objects: v.array(v.strictObject({
    oid: v.string(),
    size: v.number(),
    actions: v.optional(Actions),
    error: v.optional(v.object({ code: v.number(), message: v.string() })),
  })),
});
export type BatchItem = v.InferOutput<typeof BatchReply>["objects"][number];

/** The reply to a commit. */
export const CommitReply = v.strictObject({
  success: v.literal(true),
  commitUrl: v.string(),
  commitOid: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)),
  hookOutput: v.literal(""),
});

/** An object of Git LFS with content. */
export function lfsObject(content: string | Uint8Array): { oid: string; size: number } {
  return {
    oid: createHash("sha256").update(content).digest("hex"),
    size: Buffer.byteLength(content),
  };
}

/** The transfers that the clients of the hub offer. */
const HUB_TRANSFERS = ["basic", "multipart"];

/** Asks what is to be done for objects. */
export async function batch(
  hub: HubClient,
  repository: string,
  operation: "upload" | "download",
  ...objects: readonly { oid: string; size: number }[]
): Promise<BatchItem[]> {
  const body = { operation, transfers: HUB_TRANSFERS, objects, hash_algo: "sha256" };
  const reply = await postLfs(hub, `/${repository}.git/info/lfs/objects/batch`, body);
  assert.equal(reply.headers.get("Content-Type"), LFS_TYPE);
  return v.parse(BatchReply, jsonOf(reply)).objects;
}

const LFS_TYPE = "application/vnd.git-lfs+json";

/** Sends a request of Git LFS. */
export function postLfs(hub: HubClient, path: string, body: unknown): Promise<Reply> {
  return hub.post(path, body, { "Content-Type": LFS_TYPE, Accept: LFS_TYPE });
}

/** The signed address for the upload of content. */
export async function uploadAddress(
  hub: HubClient,
  repository: string,
  content: string | Uint8Array,
): Promise<string> {
  const [item] = await batch(hub, repository, "upload", lfsObject(content));
  const href = item?.actions?.upload?.href;
  assert.ok(href, "The object needs no upload");
  return href;
}

/** Sends a request without a credential. */
export async function fetchBare(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Uploads an object, which waits for a commit then. */
export async function park(
  hub: HubClient,
  repository: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const reply = await fetchBare(await uploadAddress(hub, repository, content), {
    method: "PUT",
    body: content,
  });
  assert.equal(reply.status, 200, reply.text);
}

/** Lines of a commit. */
export const lines = {
  header: (value: Record<string, unknown> = {}) => ({
    key: "header",
    value: { summary: "s", description: "", ...value },
  }),
  file: (path: string, content: string) => ({
    key: "file",
    value: { content: Buffer.from(content).toString("base64"), path, encoding: "base64" },
  }),
  lfsFile: (path: string, content: string | Uint8Array) => ({
    key: "lfsFile",
    value: { path, algo: "sha256", ...lfsObject(content) },
  }),
  deletedFile: (path: string) => ({ key: "deletedFile", value: { path } }),
  deletedFolder: (path: string) => ({ key: "deletedFolder", value: { path } }),
  copyFile: (srcPath: string, path: string, srcRevision?: string) => ({
    key: "copyFile",
    value: { path, srcPath, srcRevision },
  }),
};

/** Sends a commit to a model, with a header unless the first line is one. */
export function commit(
  hub: HubClient,
  repository: string,
  ...operations: readonly { readonly key: string; readonly value: unknown }[]
): Promise<Reply> {
  const all = operations[0]?.key === "header" ? operations : [lines.header(), ...operations];
  return commitText(hub, repository, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Sends the body of a commit. */
export function commitText(hub: HubClient, repository: string, body: BodyInit): Promise<Reply> {
  return hub.send("POST", `/api/models/${repository}/commit/main`, {
    body,
    headers: { "Content-Type": "application/x-ndjson" },
  });
}

/** The commit id in the reply to a commit. */
export function committed(reply: Reply): string {
  return v.parse(CommitReply, jsonOf(reply)).commitOid;
}
