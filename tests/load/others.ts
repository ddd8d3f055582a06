import type { Client } from "../support/client.ts";
import { fullReport } from "../conformance/report_table.ts";
import { until } from "../support/until.ts";
import { delay } from "./attack.ts";

/** What others always do. */
const KINDS = ["list", "upload", "download", "mkdir"];
/** How long a request of others may take. */
const MAX_WAIT_MS = 30_000;
/** How long each of them rests between two requests, in milliseconds. */
const REST_MS = 40;

/** A request that others made. Times are those of `performance.now()`. */
export interface Sample {
  readonly kind: string;
  readonly began: number;
  readonly milliseconds: number;
  readonly succeeded: boolean;
}

/** Honest users, who list, upload, download and make directories while others attack. */
export class Others implements AsyncDisposable {
  readonly samples: Sample[] = [];
  readonly #client: Client;
  readonly #kinds: readonly string[];
  readonly #repeated: Promise<unknown>;
  #ended = false;
  #next = 0;

  constructor(client: Client, besides?: "scan" | "validate") {
    this.#client = client;
    this.#kinds = [...KINDS, ...besides === undefined ? [] : [besides]];
    this.#repeated = Promise.all(this.#kinds.map((kind) => this.#repeat(kind)));
  }

  /** Waits until each of them has made some more requests. */
  async proceed(requests: number): Promise<void> {
    const began = performance.now();
    const isDone = (kind: string) =>
      this.between(began, Infinity).filter((it) => it.kind === kind).length >= requests;
    await until(() => this.#kinds.every(isDone));
  }

  /** Stores what they list and download. */
  static async prepare(client: Client): Promise<void> {
    const files = Array.from({ length: 20 }, (_, index) => [`f${index}`, `${index}`] as const);
    const { status, text } = await client.upload("listed", Object.fromEntries(files));
    if (status !== 200) throw new Error(text);
  }

  /** The requests that began in a period. */
  between(from: number, to: number): Sample[] {
    return this.samples.filter(({ began }) => began >= from && began < to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    await this.#repeated;
  }

  async #repeat(kind: string): Promise<void> {
    for (; !this.#ended; await delay(REST_MS)) {
      const began = performance.now();
      const succeeded = await this.#request(kind);
      this.samples.push({ kind, began, milliseconds: performance.now() - began, succeeded });
    }
  }

  async #request(kind: string): Promise<boolean> {
    try {
      const response = await this.#send(kind, AbortSignal.timeout(MAX_WAIT_MS));
      await response.arrayBuffer();
      return response.ok;
    } catch {
      // There was no reply.
      return false;
    }
  }

  #send(kind: string, signal: AbortSignal): Promise<Response> {
    const index = this.#next++;
    const json = (path: string, body: unknown) =>
      this.#client.fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
      });
    switch (kind) {
      case "upload": {
        const body = new FormData();
        body.append("files", new Blob([`content ${index}`]), `f${index}`);
        return this.#client.fetch(`/resources/?dir=u${index % 16}`, {
          method: "POST",
          body,
          signal,
        });
      }
      case "mkdir":
        return json("/resources/mkdir", { path: `d${index % 16}/${index}` });
      case "scan":
        return json("/scans/?wait=30", { path: "listed/f0" });
      case "validate":
        return json("/reports/validate", { ...fullReport(), padding: " ".repeat(2 ** 21) });
      case "download":
        return this.#client.fetch("/resources/download?path=listed/f1", { signal });
      default:
        return this.#client.fetch("/resources/?path=listed", { signal });
    }
  }
}
