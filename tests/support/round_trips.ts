/** A proxy before PostgreSQL that counts how often clients wait for it, and knows for what. */

/** How long replies are held, so that all that a client sends without them arrives before, in milliseconds. */
const HOLD_MS = 4;

/** What a client has sent at once: the statements that it then waits for. */
export type RoundTrip = readonly string[];

export class RoundTrips implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #port: number;
  readonly #open = new Set<Deno.Conn>();
  readonly #served: Promise<void>;
  #trips: string[][] = [];
  /** The bytes that have passed, in both directions. */
  bytes = 0;

  /** @param port That of the engine. */
  constructor(port: number) {
    this.#port = port;
    this.#served = this.#serve();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** The round trips since the last call, of all connections, in the order in which they began. */
  take(): readonly RoundTrip[] {
    const trips = this.#trips;
    this.#trips = [];
    return trips;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) close(connection);
    await this.#served;
  }

  async #serve(): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const client of this.#listener) served.push(this.#relay(client));
    await Promise.all(served);
  }

  async #relay(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    for (const connection of [client, server]) this.#open.add(connection);
    const statements = new Statements();
    let trip: string[] | undefined;
    const sent = pass(client, async (bytes) => {
      this.bytes += bytes.length;
      const found = statements.of(bytes);
      if (found.length > 0) {
        if (trip === undefined) this.#trips.push(trip = []);
        trip.push(...found);
      }
      await writeAll(server, bytes);
    });
    const replied = pass(server, async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
      trip = undefined;
      this.bytes += bytes.length;
      await writeAll(client, bytes);
    });
    await Promise.race([sent, replied]);
    for (const connection of [client, server]) {
      close(connection);
      this.#open.delete(connection);
    }
    await Promise.all([sent, replied]);
  }
}

/** The statements in what a client sends over one connection. */
class Statements {
  readonly #prepared = new Map<string, string>();
  #rest = new Uint8Array();
  #started = false;

  /** The SQL of those that the bytes complete. */
  of(bytes: Uint8Array): string[] {
    const found: string[] = [];
    this.#rest = Uint8Array.from([...this.#rest, ...bytes]);
    for (;;) {
      // The first message has no type.
      const start = this.#started ? 1 : 0;
      if (this.#rest.length < start + 4) return found;
      const end = start + new DataView(this.#rest.buffer).getUint32(start);
      if (this.#rest.length < end) return found;
      const type = this.#started ? String.fromCharCode(this.#rest[0] ?? 0) : "";
      const [first = "", second = ""] = new TextDecoder()
        .decode(this.#rest.subarray(start + 4, end)).split("\0", 2);
      if (type === "P") this.#prepared.set(first, second);
      if (type === "B") found.push(this.#prepared.get(second) ?? "");
      if (type === "Q") found.push(first);
      this.#started = true;
      this.#rest = this.#rest.slice(end);
    }
  }
}

/** Calls `on` with all that arrives over a connection, until it ends. */
async function pass(from: Deno.Conn, on: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  const buffer = new Uint8Array(65536);
  try {
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) return;
      await on(buffer.slice(0, count));
    }
  } catch {
    // One side was closed.
  }
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
