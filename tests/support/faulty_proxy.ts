/** A proxy to a server that closes the connection after each reply, which does to requests what a test says. */

/** What becomes of a request. */
export type Fault =
  /** It reaches the server. */
  | "pass"
  /** It never reaches the server. */
  | "lose"
  /** It reaches the server, but the reply is lost. */
  | "loseReply"
  /** The connection breaks after some bytes of the reply. */
  | { readonly cutAfter: number }
  /** The end of the reply never comes, and the connection stays open. */
  | "stall"
  /** It never reaches the server, and has another reply. */
  | { readonly status: number; readonly body?: string }
  /** The client gets no reply, and the server gets the request when {@link FaultyProxy.release} is called. */
  | "late";

export interface ProxiedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
}

const HEAD_END = "\r\n\r\n";

export class FaultyProxy implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #port: number;
  readonly #open = new Set<Promise<void>>();
  readonly #late: Uint8Array<ArrayBuffer>[] = [];
  /** All requests so far. */
  readonly requests: ProxiedRequest[] = [];
  /** Decides about each request. */
  fault: (request: ProxiedRequest) => Fault | Promise<Fault> = () => "pass";

  /** @param port That of the server. */
  constructor(port: number) {
    this.#port = port;
    this.#serve();
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** How many requests are late. */
  get late(): number {
    return this.#late.length;
  }

  /** Has late requests reach the server. */
  async release(): Promise<void> {
    for (const request of this.#late.splice(0)) {
      using upstream = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
      await writeAll(upstream, request);
      await readToEnd(upstream);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await Promise.all(this.#open);
  }

  async #serve(): Promise<void> {
    for await (const connection of this.#listener) {
      const served: Promise<void> = this.#handle(connection)
        .catch(() => {})
        .finally(() => {
          try {
            connection.close();
          } catch {
            // The client was faster.
          }
          this.#open.delete(served);
        });
      this.#open.add(served);
    }
  }

  async #handle(connection: Deno.Conn): Promise<void> {
    const request = await readRequest(connection);
    if (request === undefined) return;
    const [method = "", target = ""] = request.head.split(" ");
    this.requests.push({ method, target });
    const fault = await this.fault({ method, target });
    if (fault === "lose") return;
    if (fault === "late") return void this.#late.push(request.bytes);
    if (typeof fault === "object" && "status" in fault) {
      const { status, body = "" } = fault;
      const reply =
        `HTTP/1.1 ${status} Fault\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
      return await writeAll(connection, new TextEncoder().encode(reply));
    }
    using upstream = await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
    await writeAll(upstream, request.bytes);
    if (fault === "loseReply") return void await readToEnd(upstream);
    if (fault === "stall") {
      const reply = await readToEnd(upstream);
      await writeAll(connection, reply.subarray(0, -1));
      return void await readToEnd(connection);
    }
    let left = typeof fault === "object" ? fault.cutAfter : Infinity;
    const buffer = new Uint8Array(64 * 1024);
    for (let count; left > 0 && (count = await upstream.read(buffer)) !== null;) {
      await writeAll(connection, buffer.subarray(0, Math.min(count, left)));
      left -= count;
    }
  }
}

/** Reads a whole request with a length. Undefined if the client sends none. */
async function readRequest(
  connection: Deno.Conn,
): Promise<{ head: string; bytes: Uint8Array<ArrayBuffer> } | undefined> {
  let bytes = new Uint8Array(0);
  const buffer = new Uint8Array(256 * 1024);
  for (;;) {
    const head = new TextDecoder("latin1").decode(bytes.subarray(0, 64 * 1024));
    const end = head.indexOf(HEAD_END);
    if (end >= 0) {
      const length = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      if (bytes.length >= end + HEAD_END.length + length) return { head, bytes };
    }
    const count = await connection.read(buffer);
    if (count === null) return undefined;
    const joined = new Uint8Array(bytes.length + count);
    joined.set(bytes);
    joined.set(buffer.subarray(0, count), bytes.length);
    bytes = joined;
  }
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function readToEnd(connection: Deno.Conn): Promise<Uint8Array> {
  return new Uint8Array(await new Response(connection.readable).arrayBuffer());
}
