import type { Reply } from "../support/client.ts";
import {
  type Case,
  compare,
  curl,
  expectOk,
  median,
  peakMemory,
  ROUNDS,
  scaled,
  seconds,
} from "./measures.ts";
import { compareGets } from "./small_requests.ts";

/** Listings, moves and copies. */
export const TREE_CASES: readonly Case[] = [
  {
    name: "listings of 20 entries of 8 clients",
    async measure({ server, client, peers }) {
      const files = Array.from({ length: 20 }, (_, index) => [`f${index}`, "x"]);
      await expectOk(client.upload("listed", Object.fromEntries(files)));
      const listing = peers.filter(({ name }) => name === "dufs");
      for (const { directory } of listing) {
        await Deno.mkdir(`${directory}/listed`);
        for (const [name] of files) await Deno.writeTextFile(`${directory}/listed/${name}`, "x");
      }
      const { text } = await client.list({ path: "listed" });
      await using bare = Deno.serve({ port: 0, onListen() {} }, () => new Response(text));
      const title = "listings of 20 entries of 8 clients";
      const { comparison, note } = await compareGets({ title, count: scaled(3000), clients: 8 }, {
        "strongroom": { url: `${client.url}/resources/?path=listed`, token: client.token },
        ...Object.fromEntries(
          listing.map(({ name, url }) => [name, { url: `${url}/listed/?json` }]),
        ),
        "a bare Deno.serve of the reply": { url: `http://127.0.0.1:${bare.addr.port}/` },
      });
      return { comparisons: [comparison], notes: [note, await peakMemory(server.pid)] };
    },
  },
  {
    name: "listing of 100 000 entries",
    async measure({ server, client }) {
      for (let batch = 0; batch < scaled(200); batch++) {
        const files = Array.from({ length: 500 }, (_, index) => [`${batch}-${index}.bin`, "x"]);
        await expectOk(client.upload("big", Object.fromEntries(files)));
      }
      const before = await peakMemory(server.pid);
      const values = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/?path=big`),
      });
      return {
        comparisons: [{ title: "listing of 100 000 entries", unit: "s", values }],
        notes: [`${before} after the uploads, ${await peakMemory(server.pid)} at the end`],
      };
    },
  },
  {
    name: "move and copy of 1 000, 10 000 and 100 000 records",
    async measure({ server, client }) {
      const files = Array.from({ length: 99 }, (_, index) => [`${index}`, "x"]);
      await client.upload("t/100", Object.fromEntries(files));
      const sizes = [1000, 10_000, 100_000];
      // Each size is ten copies of the one before, with their directory.
      for (const size of sizes) {
        for (let part = 0; part < 10; part++) {
          const destination = `t/${size}/${part}`;
          await expectOk(client.copy({ source: `t/${size / 10}`, destination }));
        }
      }
      const times = new Map<string, number[]>();
      const measured = async (name: string, work: () => Promise<Reply>) => {
        const time = await seconds(() => expectOk(work()));
        times.set(name, [...times.get(name) ?? [], time]);
      };
      for (let round = 0; round < ROUNDS; round++) {
        for (const size of sizes) {
          const [source, destination] = [`t/${size}`, "else/where"];
          await measured(`copy ${size}`, () => client.copy({ source, destination }));
          await expectOk(client.remove({ path: destination }));
          await measured(`move ${size}`, () => client.move({ source, destination }));
          await expectOk(client.move({ source: destination, destination: source }));
        }
      }
      return {
        comparisons: [...times].map(([title, values]) => ({
          title,
          unit: "s",
          values: { strongroom: values },
        })),
        notes: [
          ...["copy", "move"].flatMap((name) => growth(name, sizes, times)),
          await peakMemory(server.pid),
        ],
      };
    },
  },
];

/** How the time grows from one number of records to the next. */
function growth(
  name: string,
  sizes: readonly number[],
  times: ReadonlyMap<string, readonly number[]>,
): string[] {
  const of = (size: number | undefined) => median(times.get(`${name} ${size}`) ?? []);
  return sizes.slice(1).map((size, index) => {
    const ratio = of(size) / of(sizes[index]);
    return `a ${name} of ${size} takes ${ratio.toFixed(1)} times as long as of ${sizes[index]}`;
  });
}
