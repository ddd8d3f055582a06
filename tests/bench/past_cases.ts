import * as v from "valibot";
import { HistoryList } from "../../schemas/history.ts";
import { type Client, dataOf, type QueryParameters } from "../support/client.ts";
import { openDatabase, type TestDatabase } from "../support/test_database.ts";
import {
  type Case,
  compare,
  type Comparison,
  expectOk,
  scaled,
  seconds,
  spread,
} from "./measures.ts";

/** Folders of the tree, and how many files each has. */
const FOLDERS: Readonly<Record<string, number>> = {
  one: 1,
  hundred: 100,
  thousand: 1000,
  "ten-thousand": scaled(10_000),
};
/** Folders of a thousand files beside them. */
const OTHERS = scaled(89);
/** How many times all is replaced: that gives as many former rows as the tree has, each time. */
const CHANGES = 10;
/** Folders that change often: how many versions, and how many records each. */
const BUSY: Readonly<Record<string, readonly [versions: number, records: number]>> = {
  "thousand-a-version": [scaled(100), 1000],
  "five-thousand-a-version": [scaled(20), 5000],
  "one-a-version": [scaled(100_000), 1],
};
const CLIENTS = 8;
/** How many entries the requests of a round read. */
const ENTRIES = scaled(10_000);
/** What a request costs besides, in entries. */
const REQUEST_ENTRIES = 100;
const PAGES = scaled(50);

/** What reads of a large past cost beside those of the present, and pages of history (C 26). */
export const PAST_CASES: readonly Case[] = [
  {
    name: "the past: reads of an old version and pages of history, with 1 000 000 former rows",
    async measure({ directory, client }) {
      await using database = await openDatabase(`${directory}/data`);
      const notes: string[] = [];
      const notePages = async (folder: string) => {
        await settled(database);
        const times: number[] = [];
        for (let page = 0; page < PAGES; page++) {
          times.push(1000 * await seconds(() => history(client, folder)));
        }
        notes.push(`the first page of the history of ${folder}: ${spread(times, 1)} ms`);
      };
      for (const content of ["a", "b"]) await fill(client, content);
      await expectOk(client.mkdir("tree"));
      for (let change = 0; change <= CHANGES; change++) {
        await replaceAll(client, change, "tree", [...Object.keys(FOLDERS), "others"]);
      }
      await notePages("tree");
      for (const [folder, [versions, records]] of Object.entries(BUSY)) {
        await makeBusy(client, folder, versions, records);
        await notePages(folder);
      }
      const changes = await history(client, "tree/one/0");
      const at = String(changes[CHANGES / 2]?.version);
      const comparisons: Comparison[] = [];
      for (const { title, path, query, entries } of READS) {
        const requests = Math.ceil(ENTRIES / (entries + REQUEST_ENTRIES));
        const send = async (more: QueryParameters) => {
          for (let request = 0; request < requests; request++) {
            await expectOk(client.send("GET", path, { query: { ...query, ...more } }));
          }
        };
        const values = await compare({
          now: () => send({}),
          "at an old version": () => send({ at }),
        });
        comparisons.push({ title: `${requests} times ${title}`, unit: "s", values });
      }
      return { comparisons, notes };
    },
  },
];

const READS = [
  ...Object.entries(FOLDERS).map(([folder, entries]) => ({
    title: `a list of ${entries}`,
    path: "/resources/",
    query: { path: `tree/${folder}` },
    entries,
  })),
  { title: "stat", path: "/resources/stat", query: { path: "tree/thousand/0" }, entries: 1 },
  { title: "a download", path: "/files/tree/thousand/0", query: {}, entries: 1 },
];

/** Waits until all that changes have kept is in order. */
async function settled(database: TestDatabase): Promise<void> {
  while ((await database.all("SELECT 1 AS found FROM fresh_history LIMIT 1")).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function history(client: Client, path: string) {
  const reply = await expectOk(client.send("GET", "/resources/history", { query: { path } }));
  return v.parse(HistoryList, dataOf(reply)).items;
}

/** Makes folders whose files have a content of their own. */
async function fill(client: Client, content: string): Promise<void> {
  for (const [folder, count] of Object.entries(FOLDERS)) {
    for (let from = 0; from < count; from += 500) {
      const files = Array.from(
        { length: Math.min(500, count - from) },
        (_, it) => [`${from + it}`, `${content} ${from + it}`],
      );
      await expectOk(client.upload(`${content}/${folder}`, Object.fromEntries(files)));
    }
  }
  await expectOk(client.mkdir(`${content}/others`));
  for (let other = 0; other < OTHERS; other++) {
    const destination = `${content}/others/${other}`;
    await expectOk(client.copy({ source: `${content}/thousand`, destination }));
  }
}

/** Replaces all files of folders in one change. */
async function replaceAll(
  client: Client,
  change: number,
  destination: string,
  folders: readonly string[],
): Promise<void> {
  const content = change % 2 === 0 ? "a" : "b";
  const sources = folders.map((folder) => `${content}/${folder}`);
  await expectOk(client.copy({ sources, destination, force: true }));
}

/** Makes versions of a folder, each of so many records. */
async function makeBusy(
  client: Client,
  folder: string,
  versions: number,
  records: number,
): Promise<void> {
  await expectOk(client.mkdir(folder));
  if (records === 1) {
    let next = 0;
    await Promise.all(Array.from({ length: CLIENTS }, async () => {
      while (next < versions) {
        const version = next++;
        const { status, text } = await client.put(`${folder}/${version % 1000}`, `${version}`);
        if (status >= 300) throw new Error(text);
      }
    }));
    return;
  }
  for (let version = 0; version < versions; version++) {
    await replaceAll(client, version, folder, records === 1000 ? ["thousand"] : ["ten-thousand"]);
  }
}
