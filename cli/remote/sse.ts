import { linesOf } from "./reply.ts";

/** An event of a stream of Server-Sent Events. */
export interface ServerSentEvent {
  /** The position of the stream after the event, if it has one. */
  readonly id: string | undefined;
  /** Empty for a comment with an id, which only moves the position. */
  readonly type: string;
  readonly data: string;
}

/**
 * The events of a response, as they arrive.
 *
 * @throws {ConnectionLost} when it breaks off, or nothing arrives for long.
 */
export async function* serverSentEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  let fields: Record<string, string> = {};
  for await (const line of linesOf(response)) {
    if (line === "") {
      const { id, event = "", data = "" } = fields;
      yield { id, type: event, data };
      fields = {};
    } else {
      const [, name = "", value = ""] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
      fields[name] = value;
    }
  }
}
