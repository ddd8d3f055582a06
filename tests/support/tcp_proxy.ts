/** What a proxy does with what a client has sent over a connection, which has a number. */
export type ProxyRule = (
  bytes: Uint8Array,
  connection: number,
) =>
  | "pass"
  | "hold"
  | "cut"
  | "cut after reply"
  | "cut at once"
  /** From now on nothing passes over this connection, and neither side learns that the other has closed it. */
  | "lose"
  /** This passes, and its reply does not; then as above. */
  | "lose replies";

/** A proxy on a port of its own, whose connections can be cut at a certain point. */
export class TcpProxy implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #served: Promise<void>;
  /** The port that new connections lead to. */
  target: number;
  /** Applies to all that clients send from now on. */
  rule: ProxyRule = () => "pass";

  constructor(target: number) {
    this.target = target;
    this.#served = this.#serve();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Closes all connections. */
  cutAll(): void {
    for (const connection of this.#open) close(connection);
    this.#open.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cutAll();
    await this.#served;
  }

  async #serve(): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const client of this.#listener) served.push(this.#relay(client, served.length));
    await Promise.all(served);
  }

  async #relay(client: Deno.Conn, connection: number): Promise<void> {
    this.#open.add(client);
    let server: Deno.TcpConn;
    try {
      server = await Deno.connect({ hostname: "127.0.0.1", port: this.target });
    } catch {
      // The engine is away.
      return close(client);
    }
    this.#open.add(server);
    let lastReply = false;
    let isLost = false;
    const replies = pump(server, client, () => isLost ? "hold" : lastReply ? "cut" : "pass");
    const requests = pump(client, server, (bytes) => {
      const action = isLost ? "lose" : this.rule(bytes, connection);
      isLost = action.startsWith("lose");
      if (action === "lose replies") return "pass";
      lastReply ||= action === "cut after reply";
      return action === "cut after reply" ? "pass" : action;
    });
    await Promise.race([replies, requests]);
    if (isLost) await Promise.all([replies, requests]);
    close(client);
    close(server);
    await Promise.all([replies, requests]);
  }
}

/** Copies bytes until one side ends, or `judge` says so. */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  judge: (bytes: Uint8Array) => ReturnType<ProxyRule>,
): Promise<void> {
  const buffer = new Uint8Array(65536);
  try {
    for (;;) {
      const read = await from.read(buffer);
      if (read === null) return;
      const action = judge(buffer.subarray(0, read));
      if (action === "cut") return;
      if (action === "hold" || action === "lose") continue;
      for (let sent = 0; sent < read;) sent += await to.write(buffer.subarray(sent, read));
      if (action === "cut at once") return;
    }
  } catch {
    // The other side has been closed.
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
