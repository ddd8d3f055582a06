/** Thrown by a reader that cannot read the rest of a content. */
export class MalformedError extends Error {
  override readonly name = "MalformedError";

  /**
   * @param reason A word such as `truncated`, for the report.
   * @param message For people.
   * @param operational Whether the content exceeds one of our limits.
   */
  constructor(readonly reason: string, message: string, readonly operational = false) {
    super(message);
  }
}
