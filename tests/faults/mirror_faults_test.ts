import * as assert from "node:assert/strict";
import type { Fault } from "../support/hub_double.ts";
import type { HubClient } from "../support/hub.ts";
import { mirroring, open } from "../support/mirroring.ts";
import { noise, type Random, seededRandom } from "../support/random.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const FILES = 40;
const FAULTS_OF_FILE = 25;
/** Another one makes other files and faults. */
const SEED = Number(Deno.env.get("SEED") ?? 28);

/** Where no connection may lead. */
class ForbiddenHost implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  connections = 0;

  constructor() {
    this.#count();
  }

  get host(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async #count(): Promise<void> {
    for await (const connection of this.#listener) {
      this.connections++;
      connection.close();
    }
  }

  [Symbol.dispose](): void {
    this.#listener.close();
  }
}

function faultOf(random: Random, size: number, forbidden: string): Fault {
  const at = random(size + 1);
  const faults: readonly Fault[] = [
    { cutAt: at },
    { cutAt: at },
    { wrongAt: at },
    { stallAt: at },
    { size: at },
    { size: size + 1 + random(100) },
    { status: 500 + random(5) },
    { status: 404 },
    { status: 429, headers: { "Retry-After": "0" } },
    { location: `http://${forbidden}/x` },
    { location: `http://localhost:1/x` },
    { location: "https://example.org/" },
  ];
  return faults[random(faults.length)] ?? {};
}

/** Downloads a file as clients do: what is missing of it is asked for, until all of it is there. */
async function downloaded(hub: HubClient, path: string, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (;;) {
    const response = await open(hub, path, at > 0 ? { Range: `bytes=${at}-` } : {});
    if (response.status === 200) at = 0;
    if (!response.ok) {
      await response.body?.cancel();
      assert.ok([429, 503].includes(response.status), String(response.status));
      continue;
    }
    try {
      for await (const chunk of response.body ?? []) {
        bytes.set(chunk, at);
        at += chunk.length;
      }
      assert.equal(at, size);
      return bytes;
    } catch (error) {
      // It was broken off.
      if (!(error instanceof TypeError)) throw error;
      assert.ok(at < size, "a whole file was broken off");
    }
  }
}

Deno.test("C 28 1000 faults of the other hub give nobody a wrong byte", async () => {
  using forbidden = new ForbiddenHost();
  await using parts = await mirroring({ upstream: { stallMs: 20 } });
  const { double, hub, server } = parts;
  const random = seededRandom(SEED);
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => {
      const size = index % 4 === 0 ? MIB + random(MIB) : random(100_000);
      return [`f${index}.bin`, { content: noise(size, index + 1), lfs: index % 3 > 0 }];
    }),
  );
  double.add("org/model", files);
  await hub.send("GET", "/api/models/org/model");
  let faults = 0;
  for (const [path, { content }] of Object.entries(files)) {
    let left = FAULTS_OF_FILE;
    double.fault = ({ host, path }) => {
      // A redirect is followed by the content, which may go wrong, too.
      if (left === 0 || host === "hub" && !path.includes("resolve-cache") && random(3) > 0) {
        return undefined;
      }
      left--;
      faults++;
      return faultOf(random, content.length, forbidden.host);
    };
    const bytes = await downloaded(hub, `/org/model/resolve/main/${path}`, content.length);
    assert.deepEqual(bytes, content, path);
  }
  console.log({ seed: SEED, files: FILES, faults, connections: forbidden.connections });
  assert.equal(forbidden.connections, 0);
  assert.ok(faults > FILES * FAULTS_OF_FILE / 2, String(faults));
  await until(async () => (await server.temporaryFiles()).length === 0);
});
