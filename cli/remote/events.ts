import * as v from "valibot";
import { printable } from "../../schemas/printable.ts";
import { ResourceEntry } from "../../schemas/resources.ts";
import { ScanEntry } from "../../schemas/scans.ts";
import { formatBytes } from "../../schemas/units.ts";
import { VERDICTS } from "../../schemas/verdict_names.ts";
import { printError } from "../print_error.ts";
import { counted } from "../terminal_text.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { written } from "../output.ts";
import { ConnectionLost, RemoteError } from "./remote_error.ts";
import { type ServerSentEvent, serverSentEvents } from "./sse.ts";
import { verbArguments } from "./verb.ts";

/** `strongroom events`: prints what happens in a tree of a server, until it is stopped (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, { since: { type: "string" } });
  if (positionals.length > 0) throw new UsageError("events needs no path");
  const { since } = values;
  if (since !== undefined && !EVENT_ID.test(since)) {
    throw new UsageError(
      `--since must be the id of an event, as events --json prints it, not "${since}"`,
    );
  }
  const connection = await Connection.open(values);
  for await (const event of followed(connection, since)) {
    if (event.type === "reset") {
      printError("Events are missing before this: the server does not have them any more");
    }
    const line = values.json ? jsonLine(event) : eventLine(event);
    if (!await written(`${line}\n`)) break;
  }
  return 0;
}

/** `<epoch>-<sequence>` (C 11). */
const EVENT_ID = /^\w{1,40}-\d{1,16}$/;
/** How long to wait before the next connection. */
const RECONNECT_MS = 1000;

/** The events of a tree without end: where a connection ends, the next one goes on. */
async function* followed(
  connection: Connection,
  since: string | undefined,
): AsyncGenerator<ServerSentEvent> {
  let position = since;
  const connect = () =>
    connection.request("GET", "/events/", {
      headers: position === undefined ? {} : { "Last-Event-ID": position },
    });
  let response = await connect();
  for (;;) {
    try {
      for await (const event of serverSentEvents(response)) {
        position = event.id ?? position;
        if (event.type !== "") yield event;
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    response = await reconnected(connect);
  }
}

/** Connects again, however long it takes for the server to be there. */
async function reconnected(connect: () => Promise<Response>): Promise<Response> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    try {
      return await connect();
    } catch (error) {
      const isAway = error instanceof ConnectionLost ||
        (error instanceof RemoteError && error.status >= 500);
      if (!isAway) throw error;
    }
  }
}

function jsonLine({ id, type, data }: ServerSentEvent): string {
  return JSON.stringify({ id, type, data: JSON.parse(data) });
}

const VerdictEvent = v.object({ path: v.string(), verdict: v.picklist(VERDICTS) });

function eventLine({ type, data }: ServerSentEvent): string {
  const value: unknown = JSON.parse(data);
  return `${printable(type).padEnd(TYPE_WIDTH)}  ${printable(textOf(value))}`.trimEnd();
}

/** The longest type of an event is `resource.updated`. */
const TYPE_WIDTH = 16;

function textOf(value: unknown): string {
  if (v.is(VerdictEvent, value)) return `${value.path}  ${value.verdict}`;
  if (v.is(ResourceEntry, value)) {
    return value.is_dir ? `${value.path}/` : `${value.path}  ${formatBytes(value.size)}`;
  }
  if (v.is(ScanEntry, value)) {
    const { id, status, files_scanned: scanned, files_total: total } = value;
    return `scan ${id}  ${status}  ${scanned} of ${counted(total, "file")}`;
  }
  return "";
}
