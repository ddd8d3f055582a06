import { RelayingProxy } from "../support/relaying_proxy.ts";

/** A connection between a browser and a server that can die without a word, as that of a computer that is moved. */
export class StallingProxy extends RelayingProxy {
  #stalled: PromiseWithResolvers<void> | undefined;
  #stallAfter = Infinity;

  get isStalled(): boolean {
    return this.#stalled !== undefined;
  }

  /** From now on, or when the client has sent so many bytes more, nothing passes, and nobody is told. */
  stall(afterBytes = 0): void {
    this.#stallAfter = afterBytes;
    if (afterBytes === 0) this.#stalled ??= Promise.withResolvers();
  }

  /** Lets new connections through. Those from before stay dead. */
  recover(): void {
    this.#stallAfter = Infinity;
    this.cut();
    this.#stalled?.resolve();
    this.#stalled = undefined;
  }

  protected override async open(): Promise<void> {
    await this.#stalled?.promise;
  }

  protected override async pass(
    from: Deno.TcpConn,
    to: Deno.TcpConn,
    isClient: boolean,
  ): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const length = await from.read(buffer);
      if (isClient) {
        this.#stallAfter -= length ?? 0;
        if (this.#stallAfter < 0) this.#stalled ??= Promise.withResolvers();
      }
      await this.#stalled?.promise;
      if (length === null) return await to.closeWrite();
      for (let at = 0; at < length;) at += await to.write(buffer.subarray(at, length));
    }
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.recover();
  }
}
