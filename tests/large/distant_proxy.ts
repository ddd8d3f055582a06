/** A server that is far away: what passes takes half of a round trip each way, and a connection a whole one first. */
export class DistantProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #port: number;
  readonly #roundTripMs: number;
  readonly #connections = new Set<Disposable>();

  /** @param port The port of the server. */
  constructor(port: number, roundTripMs: number) {
    this.#port = port;
    this.#roundTripMs = roundTripMs;
    void this.#accept();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void this.#serve(client);
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    using parts = new DisposableStack();
    parts.use(client);
    this.#connections.add(parts);
    parts.defer(() => this.#connections.delete(parts));
    try {
      const opened = performance.now() + this.#roundTripMs;
      const server = parts.use(await Deno.connect({ hostname: "127.0.0.1", port: this.#port }));
      await Promise.all([this.#pass(client, server, opened), this.#pass(server, client, opened)]);
    } catch {
      // One of both has closed it.
    }
  }

  async #pass(from: Deno.TcpConn, to: Deno.TcpConn, opened: number): Promise<void> {
    let last = Promise.resolve();
    const later = (work: () => Promise<void>) => {
      const due = Math.max(opened, performance.now()) + this.#roundTripMs / 2;
      last = last.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
        await work();
      });
      // Who reads on finds out.
      last.catch(() => {});
    };
    for (;;) {
      const buffer = new Uint8Array(64 * 1024);
      const length = await from.read(buffer);
      if (length === null) break;
      later(async () => {
        for (let at = 0; at < length;) at += await to.write(buffer.subarray(at, length));
      });
    }
    later(() => to.closeWrite());
    await last;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }
}
