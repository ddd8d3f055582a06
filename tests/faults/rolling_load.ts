/** Requests and transfers of clients that must notice nothing of a restart. */

import * as assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { MIB } from "../../schemas/units.ts";
import type { Client } from "../support/client.ts";

/** So many of each run at once, so that each server has some. */
const UPLOADS = 8;
const DOWNLOADS = 2;
/** More than what the buffers of all sockets on the way take. */
const DOWNLOAD_BYTES = 32 * MIB;
const DOWNLOADED = "downloaded.bin";

const PIECE = new Uint8Array(4000).fill(7);
/** Between pieces of an upload, and between small requests. */
const PAUSE_MS = 50;
/** Bytes a millisecond of a download that is held: it takes 48 s. */
const HELD_RATE = 700;

/** Stores the file that {@link HeldTransfers} downloads. */
export async function prepareDownload(client: Client): Promise<void> {
  const content = new Uint8Array(DOWNLOAD_BYTES).fill(9);
  assert.equal((await client.put(DOWNLOADED, content)).status, 201);
}

let named = 0;

/** Transfers that go on slowly until they may finish. */
export class HeldTransfers {
  readonly #client: Client;
  readonly #release = new AbortController();
  readonly #results: Promise<PromiseSettledResult<void>[]>;

  constructor(client: Client) {
    this.#client = client;
    this.#results = Promise.allSettled([
      ...Array.from({ length: UPLOADS }, () => this.#upload(`slow-${++named}.bin`)),
      ...Array.from({ length: DOWNLOADS }, () => this.#download()),
    ]);
  }

  /**
   * Lets all finish. Returns how many there were.
   *
   * @throws {assert.AssertionError} when one was cut, or has other bytes.
   */
  async finish(): Promise<number> {
    this.#release.abort();
    return allOf(await this.#results).length;
  }

  async #upload(path: string): Promise<void> {
    const { signal } = this.#release;
    let sent = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        controller.enqueue(PIECE.slice());
        sent += PIECE.length;
        if (signal.aborted) controller.close();
        else await wait(PAUSE_MS);
      },
    });
    const { status, text } = await this.#client.put(path, body);
    assert.equal(status, 201, text);
    const stored = await this.#client.bytes({ path });
    assert.deepEqual([stored.length, stored.every((it) => it === 7)], [sent, true]);
  }

  async #download(): Promise<void> {
    const response = await this.#client.download({ path: DOWNLOADED });
    assert.equal(response.status, 200);
    let received = 0;
    for await (const piece of response.body ?? []) {
      received += piece.length;
      assert.ok(piece.every((it) => it === 9));
      if (!this.#release.signal.aborted) await wait(piece.length / HELD_RATE);
    }
    assert.equal(received, DOWNLOAD_BYTES);
  }
}

/** The values of what has succeeded. Throws the reason of what has not. */
export function allOf<T>(results: readonly PromiseSettledResult<T>[]): T[] {
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Stores, reads and lists small files in a directory until the signal. Returns the number of requests. */
export async function keepRequesting(
  client: Client,
  directory: string,
  signal: AbortSignal,
): Promise<number> {
  let requests = 0;
  for (let round = 0; !signal.aborted; round++) {
    const path = `${directory}/${round % 20}`;
    const content = `${directory} ${round}`;
    const stored = await client.put(path, content);
    assert.ok([200, 201].includes(stored.status), `${stored.status} ${stored.text}`);
    const read = await client.download({ path });
    assert.deepEqual([read.status, await read.text()], [200, content]);
    const listed = await client.list({ path: directory });
    assert.equal(listed.status, 200, listed.text);
    requests += 3;
    await wait(PAUSE_MS);
  }
  return requests;
}
