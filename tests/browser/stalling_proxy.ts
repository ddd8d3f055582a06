/** A connection between a browser and a server that can die without a word, as that of a computer that is moved. */
export class StallingProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #target: number;
  readonly #connections = new Set<Disposable>();
  #stalled: PromiseWithResolvers<void> | undefined;
  #stallAfter = Infinity;

  /** @param target The port of the server. */
  constructor(target: number) {
    this.#target = target;
    void this.#accept();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

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
    for (const connection of this.#connections) connection[Symbol.dispose]();
    this.#stalled?.resolve();
    this.#stalled = undefined;
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void this.#serve(client);
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    using parts = new DisposableStack();
    parts.use(client);
    this.#connections.add(parts);
    parts.defer(() => this.#connections.delete(parts));
    await this.#stalled?.promise;
    try {
      const server = parts.use(await Deno.connect({ hostname: "127.0.0.1", port: this.#target }));
      await Promise.all([this.#pass(client, server, true), this.#pass(server, client, false)]);
    } catch {
      // One of both has closed it.
    }
  }

  async #pass(from: Deno.TcpConn, to: Deno.TcpConn, isClient: boolean): Promise<void> {
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

  [Symbol.dispose](): void {
    this.#listener.close();
    this.recover();
  }
}
