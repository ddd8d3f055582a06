/** A server on a port of its own before another one. What happens to the bytes that pass is up to its kind. */
export abstract class RelayingProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #port: number;
  readonly #connections = new Set<Disposable>();

  /** @param port That of the other server. */
  constructor(port: number) {
    this.#port = port;
    void this.#accept();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** Closes all connections. */
  cut(): void {
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    this.cut();
  }

  /** Resolves when a new connection may reach the other server. */
  protected abstract open(): Promise<void>;

  /** Passes what one side sends to the other, until its end. */
  protected abstract pass(from: Deno.TcpConn, to: Deno.TcpConn, isClient: boolean): Promise<void>;

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void this.#serve(client);
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    using parts = new DisposableStack();
    parts.use(client);
    this.#connections.add(parts);
    parts.defer(() => this.#connections.delete(parts));
    await this.open();
    try {
      const server = parts.use(await Deno.connect({ hostname: "127.0.0.1", port: this.#port }));
      await Promise.all([this.pass(client, server, true), this.pass(server, client, false)]);
    } catch {
      // One of both has closed it.
    }
  }
}
