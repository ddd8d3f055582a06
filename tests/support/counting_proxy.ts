/** A proxy for connections to a server that counts what passes, and can hold it up. */

export type Direction = "up" | "down";

export class CountingProxy implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #port: number;
  readonly #connections = new Set<Deno.Conn>();
  readonly #serving: Promise<void>;
  /** Bytes that have passed, by where to. */
  readonly passed: Record<Direction, number> = { up: 0, down: 0 };
  #limit: { readonly direction: Direction; readonly bytes: number } | undefined;
  #released = Promise.withResolvers<void>();

  /** @param port That of the server. */
  constructor(port: number) {
    this.#port = port;
    this.#serving = this.#serve();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** Lets no more than some bytes pass, from now on. */
  holdAfter(direction: Direction, bytes: number): void {
    this.#limit = { direction, bytes: this.passed[direction] + bytes };
    this.#released = Promise.withResolvers();
  }

  /** Whether the limit of {@link holdAfter} is reached. */
  get isHeld(): boolean {
    return this.#limit !== undefined && this.passed[this.#limit.direction] >= this.#limit.bytes;
  }

  release(): void {
    this.#limit = undefined;
    this.#released.resolve();
  }

  /** Cuts all connections. */
  cut(): void {
    for (const connection of this.#connections) close(connection);
    this.#connections.clear();
  }

  async #serve(): Promise<void> {
    const pairs: Promise<void>[] = [];
    for await (const client of this.#listener) pairs.push(this.#join(client));
    await Promise.all(pairs);
  }

  async #join(client: Deno.Conn): Promise<void> {
    this.#connections.add(client);
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
      this.#connections.add(server);
      await Promise.all([this.#pass("up", client, server), this.#pass("down", server, client)]);
    } catch (error) {
      // The server is down, as is the client's connection then.
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      close(client);
    }
  }

  async #pass(direction: Direction, from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (;;) {
        const count = await from.read(buffer);
        if (count === null) break;
        if (this.#limit?.direction === direction && this.isHeld) await this.#released.promise;
        this.passed[direction] += count;
        for (let sent = 0; sent < count;) sent += await to.write(buffer.subarray(sent, count));
      }
    } catch {
      // One side was cut or killed, so the other is cut.
    }
    close(from);
    close(to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.#listener.close();
    this.cut();
    await this.#serving;
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
