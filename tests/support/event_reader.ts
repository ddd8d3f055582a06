import * as assert from "node:assert/strict";
import * as v from "valibot";
import { ResourceEntry } from "../../schemas/resources.ts";

/** A block of a Server-Sent Events stream. A comment has neither event nor data. */
export interface Block {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Reads Server-Sent Events from a response. */
export class EventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";
  /** The id of the last event, for the `Last-Event-ID` header. */
  lastId: string | undefined;

  private constructor(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Opens the stream of a response. */
  static open(response: Response): EventReader {
    assert.ok(response.body);
    const reader = new EventReader(response.body);
    if (response.headers.get("Content-Type") !== "text/event-stream") {
      throw new Error("Not an event stream");
    }
    return reader;
  }

  /** The next block, or undefined at the end of the stream. */
  async block(): Promise<Block | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const block = parseBlock(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        this.lastId = block.id ?? this.lastId;
        return block;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  /** The next event, skipping comments. */
  async next(): Promise<Block | undefined> {
    for (;;) {
      const block = await this.block();
      if (block === undefined || block.event !== undefined) return block;
    }
  }

  /** The next events, such as `added a/b`. Returns fewer if the stream ends. */
  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const block = await this.next();
      if (block === undefined) break;
      const entry = v.parse(ResourceEntry, JSON.parse(block.data ?? ""));
      taken.push(`${block.event?.replace("resource.", "")} ${entry.path}`);
    }
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}

function parseBlock(text: string): Block {
  const field = (name: string) => {
    const line = text.split("\n").find((line) => line.startsWith(`${name}: `));
    return line?.slice(name.length + 2);
  };
  return { event: field("event"), id: field("id"), data: field("data") };
}
