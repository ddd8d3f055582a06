import type { Client } from "../support/client.ts";
import { type Attack, delay } from "./attack.ts";
import { expectOk, LARGE_REQUESTS, storeFiles } from "./large_requests.ts";
import { MIXED_LOAD } from "./mixed_load.ts";

const FORM = { "Content-Type": "multipart/form-data; boundary=b" };
const JSON_TYPE = { "Content-Type": "application/json" };
const PART = '--b\r\nContent-Disposition: form-data; name="files"; filename="f"\r\n\r\n';

/** Paths that contain one another: `a`, `a/a`, `a/a/a`… */
function nestedPaths(count: number): string[] {
  return Array.from({ length: count }, (_, index) => Array(index + 1).fill("a").join("/"));
}

const LARGE = (small: boolean) => small ? 2000 : 128_000;
const LISTED = (small: boolean) => small ? 2000 : 20_000;
const CONTENT_BYTES = (small: boolean) => (small ? 1 : 64) * 2 ** 20;

async function storeContent(client: Client, small: boolean): Promise<void> {
  const content = new Uint8Array(CONTENT_BYTES(small));
  for (let at = 0; at < content.length; at += 65_536) {
    crypto.getRandomValues(content.subarray(at, at + 65_536));
  }
  await expectOk(client.upload("stalled", { a: content, b: "" }));
}

const SCANNED_DIR = Array.from({ length: 15 }, () => "d".repeat(250)).join("/");

/** Scans whose lists of paths have megabytes. */
async function storeScans(client: Client, small: boolean): Promise<void> {
  const names = Array.from({ length: small ? 20 : 250 }, (_, index) => `f${index}`);
  await expectOk(client.upload(SCANNED_DIR, Object.fromEntries(names.map((name) => [name, ""]))));
  const paths = names.map((name) => `${SCANNED_DIR}/${name}`);
  for (let count = 0; count < (small ? 3 : 100); count++) {
    const { text } = await expectOk(client.json("POST", "/scans/", { paths }));
    // The list has it, and it takes no more time.
    await expectOk(client.send("DELETE", `/scans/${JSON.parse(text).data.id}`));
  }
}

export const ATTACKS: readonly Attack[] = [
  {
    name: "Lists of 150 nested paths, 8 at once",
    prepare: async (client, small) => {
      await storeFiles(client, "a", LISTED(small));
      await expectOk(client.mkdir(Array(150).fill("a").join("/")));
    },
    run: (attacker) => {
      const paths = nestedPaths(150).map((path) => `paths[]=${encodeURIComponent(path)}`).join("&");
      return attacker.repeat(8, () => ({ path: `/resources/?recursive=true&${paths}` }));
    },
  },
  {
    name: "Directories of 2040 levels",
    run: (attacker) =>
      attacker.repeat(4, (index) => ({
        path: "/resources/mkdir",
        init: {
          method: "POST",
          headers: JSON_TYPE,
          body: JSON.stringify({ path: `${index}${"/a".repeat(2040)}` }),
        },
      })),
  },
  {
    name: "Copies, moves and deletes of 128 000 records",
    prepare: (client, small) => storeFiles(client, "large", LARGE(small)),
    async run(attacker) {
      while (!attacker.ended) {
        await attacker.json("POST", "/resources/copy", { source: "large", destination: "copy" });
        await attacker.json("PUT", "/resources/move", { source: "copy", destination: "moved" });
        await attacker.request("/resources/?path=moved", { method: "DELETE" });
      }
    },
  },
  {
    name: "300 lists of 20 000 records that are not read",
    prepare: (client, small) => storeFiles(client, "listed", LISTED(small)),
    run: (attacker) =>
      attacker.hold(
        attacker.pick(300, 20),
        () => attacker.head("GET", "/resources/?recursive=true&path=listed"),
      ),
  },
  {
    name: "300 downloads and ZIPs of 64 MiB that are not read",
    prepare: storeContent,
    run: (attacker) =>
      attacker.hold(
        attacker.pick(300, 20),
        (index) =>
          attacker.head("GET", `/resources/download?path=stalled${index % 2 === 0 ? "/a" : ""}`),
      ),
  },
  {
    name: "500 uploads that stop after 256 KiB",
    run: (attacker) => {
      const head = attacker.head("POST", "/resources/?dir=stopped", {
        ...FORM,
        "Content-Length": String(2 ** 28),
      });
      return attacker.hold(attacker.pick(500, 20), () => head + PART + "x".repeat(2 ** 18));
    },
  },
  {
    name: "Lists of 100 scans of 250 long paths, 8 at once",
    prepare: storeScans,
    run: (attacker) => attacker.repeat(8, () => ({ path: "/scans/?limit=1000" })),
  },
  {
    name: "1000 requests whose head does not end",
    run: (attacker) =>
      attacker.hold(
        attacker.pick(1000, 50),
        () => attacker.head("GET", "/resources/").slice(0, -2),
      ),
  },
  eventStreams(500),
  eventStreams(6000),
  {
    name: "300 reports to validate that drip",
    others: "validate",
    async run(attacker) {
      const head = attacker.head("POST", "/reports/validate", {
        ...JSON_TYPE,
        "Content-Length": String(2 ** 25),
      });
      await attacker.hold(attacker.pick(300, 20), () => `${head}{`);
      await attacker.drip(" ", 1000);
    },
  },
  {
    name: "Lists as fast as possible, 64 at once",
    prepare: (client) => storeFiles(client, "flooded", 20),
    run: (attacker) =>
      attacker.repeat(attacker.pick(64, 8), () => ({
        path: "/resources/?path=flooded",
      })),
  },
  {
    name: "Scans started as fast as possible, 8 at once",
    others: "scan",
    prepare: async (client) =>
      void await expectOk(client.upload("scanned", { "f.bin": "content" })),
    run: (attacker) =>
      attacker.repeat(attacker.pick(8, 2), () => ({
        path: "/scans/",
        init: { method: "POST", headers: JSON_TYPE, body: '{"path":"scanned"}' },
      })),
  },
  ...LARGE_REQUESTS,
  MIXED_LOAD,
];

/** Streams of one user, while that user makes events. */
function eventStreams(count: number): Attack {
  return {
    name: `${count} streams of events`,
    async run(attacker) {
      await attacker.read(attacker.pick(count, 50), attacker.head("GET", "/events/"));
      for (let index = 0; !attacker.ended; index++) {
        await attacker.json("POST", "/resources/mkdir", { path: `event-${count}-${index}` });
        await delay(100);
      }
    },
  };
}
