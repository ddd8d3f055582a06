import * as assert from "node:assert/strict";
import type { Client, Reply } from "./client.ts";
import type { TestServer } from "./server.ts";

/** A client of the hub, of a tree and for a kind of repositories. */
export class HubClient {
  readonly #token: string;
  /** The URL of the hub. */
  readonly url: string;

  /** @param tree The user whose tree it acts in. @default the client's own */
  constructor({ origin }: Pick<TestServer, "origin">, { token }: Client, tree?: number) {
    this.#token = token;
    this.url = `${origin}/hub${tree === undefined ? "" : `/t/${tree}`}`;
  }

  /** Sends a request with the credential, unless headers have another one. */
  async send(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = new Headers(init.headers);
    if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${this.#token}`);
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
