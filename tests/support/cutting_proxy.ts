/** A proxy for requests to a server, which cuts replies. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #upstream: string;
  /** After how many bytes of its body a reply is cut, if at all. It is called before the request goes on. */
  cutAfter: (request: Request) => number | undefined | Promise<number | undefined> = () =>
    undefined;

  /** @param origin That of the server. */
  constructor(origin: string) {
    this.#upstream = origin;
    this.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
      // A reply that is cut is an error of its stream.
      onError: () => new Response(null, { status: 502 }),
    }, (request) => this.#pass(request));
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async #pass(request: Request): Promise<Response> {
    const cutAfter = await this.cutAfter(request);
    const { pathname, search } = new URL(request.url);
    const { method, headers, body } = request;
    const reply = await fetch(this.#upstream + pathname + search, {
      ...{ method, headers, body },
      redirect: "manual",
    });
    if (cutAfter === undefined || reply.body === null) return reply;
    return new Response(reply.body.pipeThrough(cutting(cutAfter)), {
      status: reply.status,
      headers: reply.headers,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** Passes some bytes, and fails then. */
function cutting(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.error(new Error("Cut"));
    },
  });
}
