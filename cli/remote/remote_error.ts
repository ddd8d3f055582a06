/** The server refused a request (C 2). The message is that of the server. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";

  /**
   * @param kind The KIND of the error, such as `ErrResourcesNotFound`.
   * @param retryAfterS After how many seconds the server would serve the request.
   */
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

/** The server cannot be reached, or the connection broke: trying again may help. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}
