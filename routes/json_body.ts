import * as v from "valibot";
import { quoted, ResourceError } from "../core/errors.ts";

/** The largest JSON body, in bytes (C 3). */
const MAX_BODY_BYTES = 2 ** 20;

/**
 * Reads a JSON body by its schema (C 3).
 *
 * @throws {ResourceError} `ErrResourcesInvalidRequest` where it is too large, no JSON or not as the
 *   schema says.
 */
export async function jsonBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const type = request.headers.get("Content-Type");
  if (type !== null && !/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw invalid(`the Content-Type is ${quoted(type)}, not application/json`);
  }
  const result = v.safeParse(schema, parsed(await text(request)));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw invalid(`${v.getDotPath(issue) ?? "the body"} must be ${issue.expected}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid("it is no JSON", error);
  }
}

async function text(request: Request): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw invalid(`it is larger than ${MAX_BODY_BYTES} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof ResourceError) throw error;
    throw invalid("it did not arrive whole, or is no UTF-8", error);
  }
}

function invalid(why: string, cause?: unknown): ResourceError {
  return new ResourceError("ErrResourcesInvalidRequest", `Cannot read the body: ${why}`, { cause });
}
