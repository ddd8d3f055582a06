import * as v from "valibot";
import { AppError, quoted } from "../core/errors.ts";
import { SEND_STALL_MS } from "./stall.ts";
import { MIB } from "../schemas/units.ts";

/** The largest JSON body, in bytes (C 3). */
export const MAX_BODY_BYTES = MIB;

/**
 * Reads a JSON body by its schema (C 3). It has to arrive whole within `withinMs` milliseconds.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where it is too large, no JSON or not as the
 *   schema says.
 */
export async function jsonBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
  { withinMs = SEND_STALL_MS } = {},
): Promise<v.InferOutput<Schema>> {
  const type = request.headers.get("Content-Type");
  if (type !== null && !/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw invalid(`the Content-Type is ${quoted(type)}, not application/json`);
  }
  const result = v.safeParse(schema, parsed(await text(request, withinMs)));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const where = v.getDotPath(issue) ?? "the body";
  const what = issue.received === "undefined"
    ? "is missing"
    : `must be ${issue.expected}, not ${shown(issue.received)}`;
  throw invalid(`${where} ${what}`);
}

/** What valibot says that it received: a string is in quotes there, as long and odd as it may be. */
function shown(received: string): string {
  return received.startsWith('"') ? quoted(received.slice(1, -1)) : received;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid("it is no JSON", error);
  }
}

async function text(request: Request, withinMs: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = request.body?.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    cancel();
  }, withinMs);
  // What is left of the body is not for this handler; a client that is gone is as good.
  const cancel = () => reader?.cancel().catch(() => {});
  let text = "";
  let size = 0;
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      size += next.value.length;
      if (size > MAX_BODY_BYTES) throw invalid(`it is larger than ${MAX_BODY_BYTES} bytes`);
      text += decoder.decode(next.value, { stream: true });
    }
    if (late) throw invalid(`it did not arrive within ${withinMs / 1000} s`);
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid("it did not arrive whole, or is no UTF-8", error);
  } finally {
    clearTimeout(timer);
    await cancel();
  }
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the body: ${why}`, { cause });
}
