import { RelayingProxy } from "../support/relaying_proxy.ts";

/** A server that is far away: what passes takes half of a round trip each way, and a connection a whole one first. */
export class DistantProxy extends RelayingProxy {
  readonly #roundTripMs: number;

  /** @param port The port of the server. */
  constructor(port: number, roundTripMs: number) {
    super(port);
    this.#roundTripMs = roundTripMs;
  }

  protected override async open(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#roundTripMs));
  }

  protected override async pass(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    let last = Promise.resolve();
    const later = (work: () => Promise<void>) => {
      const due = performance.now() + this.#roundTripMs / 2;
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
}
