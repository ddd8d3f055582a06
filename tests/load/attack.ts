/** What attacks are made of: raw connections that send what they like, and do or do not read. */

import type { Client } from "../support/client.ts";

/** Whom an attack is aimed at. Can be sent to a worker. */
export interface Target {
  /** The URL of the API. */
  readonly url: string;
  /** The credential of the attacker. */
  readonly token: string;
  /** Whether the attack is a small one, for tests. */
  readonly small: boolean;
  /** How many connections may be open. */
  readonly maxConnections: number;
}

/** Something that one user does, by mistake or on purpose, at the cost of others. */
export interface Attack {
  readonly name: string;
  /** Stores what the attack works on. */
  prepare?(client: Client, small: boolean): Promise<void>;
  /** Attacks until it is done or the attacker has ended. What it holds stays open until then. */
  run(attacker: Attacker): Promise<void>;
  /** What others do besides listing, uploading and downloading. */
  readonly others?: "scan" | "validate";
  /** How long it lasts at least, in seconds. */
  readonly minSeconds?: number;
  /** How much memory the server may take. @default 400e6 */
  readonly maxBytes?: number;
}

const encoder = new TextEncoder();

/** How many connections are opened at a time. */
const OPENED_AT_ONCE = 32;
/** How long an attacker waits after the server refused something, in milliseconds. */
const RETRY_MS = 100;

/** An attacker, with everything that it has open. */
export class Attacker implements Disposable {
  readonly #target: Target;
  readonly #connections = new Set<Deno.TcpConn>();
  readonly #ended = new AbortController();
  /** How many replies it has read, by status. */
  readonly replies = new Map<number, number>();

  constructor(target: Target) {
    this.#target = target;
  }

  /** The number for an attack, or that for a small one. */
  pick(full: number, small: number): number {
    return this.#target.small ? small : full;
  }

  /** The head of a request with the credential. `path` is relative to the base URL. */
  head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
    const { pathname, search, host } = new URL(this.#target.url + path);
    const lines = Object.entries({
      Host: host,
      Authorization: `Bearer ${this.#target.token}`,
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`;
  }

  /** Opens connections that send a text and then neither send nor read anything: as many as may be open. */
  async hold(count: number, text: (index: number) => string): Promise<void> {
    const max = Math.min(count, this.#target.maxConnections);
    let next = 0;
    const open = async () => {
      while (next < max && !this.#ended.signal.aborted) await this.#open(text(next++));
    };
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, open));
  }

  /** Opens connections that send a text, and read all that they get. */
  async read(count: number, text: string): Promise<void> {
    await this.hold(count, () => text);
    for (const connection of this.#connections) this.#discard(connection);
  }

  /** Sends a few bytes more on all connections, again and again. */
  async drip(text: string, everyMs: number): Promise<void> {
    for (; !this.#ended.signal.aborted; await delay(everyMs)) {
      for (const connection of this.#connections) {
        this.#write(connection, text).catch(() => this.#close(connection));
      }
    }
  }

  /** Sends requests and reads the replies, as fast as they come, several at once. */
  async repeat(
    count: number,
    request: (index: number) => { readonly path: string; readonly init?: RequestInit },
  ): Promise<void> {
    let next = 0;
    const work = async () => {
      while (!this.#ended.signal.aborted) {
        const { path, init } = request(next++);
        const status = await this.request(path, init);
        if (status === undefined || status === 429 || status === 503) await delay(RETRY_MS);
      }
    };
    await Promise.all(Array.from({ length: count }, work));
  }

  /** Sends a request and discards the reply. Returns the status, or undefined if there was no reply. */
  async request(path: string, init: RequestInit = {}): Promise<number | undefined> {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${this.#target.token}`);
    try {
      const { signal } = this.#ended;
      const response = await fetch(this.#target.url + path, { ...init, headers, signal });
      const { status, body } = response;
      this.replies.set(status, (this.replies.get(status) ?? 0) + 1);
      for await (const _ of body ?? []) { /* discarded */ }
      return status;
    } catch {
      // The server refused the connection, or the attack has ended.
      return undefined;
    }
  }

  /** Sends a request with a JSON body. */
  json(method: string, path: string, body: unknown): Promise<number | undefined> {
    const headers = { "Content-Type": "application/json" };
    return this.request(path, { method, headers, body: JSON.stringify(body) });
  }

  /** Whether the attack has ended. */
  get ended(): boolean {
    return this.#ended.signal.aborted;
  }

  /** Resolves when the attack ends. What it has open stays open. */
  untilEnd(): Promise<void> {
    const { signal } = this.#ended;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    if (signal.aborted) resolve();
    return promise;
  }

  /** Closes everything. */
  [Symbol.dispose](): void {
    this.#ended.abort();
    for (const connection of [...this.#connections]) this.#close(connection);
  }

  async #open(text: string): Promise<void> {
    const { hostname, port } = new URL(this.#target.url);
    try {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      this.#connections.add(connection);
      if (this.#ended.signal.aborted) return this.#close(connection);
      await this.#write(connection, text);
    } catch {
      // The server refuses, or has closed the connection: an attack may fail.
      await delay(RETRY_MS);
    }
  }

  async #write(connection: Deno.TcpConn, text: string): Promise<void> {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  }

  async #discard(connection: Deno.TcpConn): Promise<void> {
    const memory = new Uint8Array(16_384);
    try {
      while (await connection.read(memory) !== null) { /* discarded */ }
    } catch {
      // It was closed.
    }
    this.#close(connection);
  }

  #close(connection: Deno.TcpConn): void {
    if (this.#connections.delete(connection)) connection.close();
  }
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
