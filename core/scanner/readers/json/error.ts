/** What kept a JSON text from being read. */
export type JsonErrorCode = "malformed" | "not_utf8" | "too_long" | "too_deep" | "too_many_values";

/** A text that is no JSON, or more of it than may be read. */
export class JsonError extends SyntaxError {
  override readonly name = "JsonError";

  /** @param position The character at which reading ended. */
  constructor(readonly code: JsonErrorCode, readonly position: number) {
    super(`Cannot read JSON: ${code} at ${position}`);
  }
}
