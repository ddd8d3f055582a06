import * as v from "valibot";
import { FoundList } from "../../schemas/verdicts.ts";
import { type Client, dataOf } from "../support/client.ts";
import {
  type Case,
  cpuSeconds,
  expectOk,
  peakMemory,
  ROUNDS,
  scaled,
  seconds,
  spread,
} from "./measures.ts";
import { openSearchTables, type SearchTables } from "./search_tables.ts";

/** Models of the tree that is copied, and the files of each. */
const MODELS = 100;
const FILES = 10;
const ORGANIZATIONS = 7;
const SEARCHES = 200;
/** Forms of a round, whose files take the processor long enough for its clock of 10 ms. */
const FORMS = 40;
const LICENSES = ["mit", "apache-2.0", "gpl-3.0", "cc-by-4.0", "llama3.1"];
const ARCHITECTURES = ["llama", "mistral", "bert", "qwen2"];
const WORDS =
  ("model weights trained language small large fast chat code image text data training " +
    "evaluation results license usage example inference quantized instruct base layer attention")
    .split(" ");

/** Searches in a tree of a million files. */
export const SEARCH_CASES: readonly Case[] = [
  {
    name: "searches of three conditions and uploads, with 1 000 000 files",
    async measure({ directory, server, client }) {
      const scanner = await server.as(1, ["resources.view", "resources.download", "scans.run"]);
      for (let index = 0; index < MODELS; index++) {
        await expectOk(
          client.upload(`0/0/0/org-${index % ORGANIZATIONS}/model-${index}`, model(index)),
        );
      }
      for (let org = 0; org < ORGANIZATIONS; org++) {
        const reply = await scanner.json("POST", "/scans/?wait=60", { path: `0/0/0/org-${org}` });
        if (!reply.text.includes('"completed"')) throw new Error(reply.text);
      }
      await using tables = await openSearchTables(`${directory}/data`);
      await settled(client, tables);
      const before = await tables.bytes();
      const copies = Math.max(2, scaled(10));
      for (const [from, to] of [["0/0/0", "0/0"], ["0/0", "0"], ["0", ""]] as const) {
        for (let copy = 1; copy < copies; copy++) {
          const destination = to === "" ? `${copy}` : `${to}/${copy}`;
          await expectOk(client.copy({ source: from, destination }));
        }
      }
      const made = await seconds(() => settled(client, tables));
      const records = await tables.records();
      const bytes = await tables.bytes() - before;
      const searches = await searchBesideChanges(client);
      const uploads = await uploadsInTurn(client, tables, server.pid);
      const cost = (Math.min(...uploads.with) / Math.min(...uploads.without) - 1) * 100;
      return {
        comparisons: [],
        notes: [
          `${records} records; after the last copy, the index was complete in ${made.toFixed(0)} s`,
          `index: ${(bytes / records).toFixed(0)} bytes for each record`,
          `searches beside uploads: ${spread(searches.times, 1)} ms, p95 ${
            percentile(searches.times, 0.95).toFixed(1)
          } ms; ${searches.found} found in all`,
          `uploads of 100 files: ${
            spread(uploads.with, 1)
          } ms of the processors with all that follows, ` +
          `without the index ${spread(uploads.without, 1)} ms: ${
            cost.toFixed(1)
          } % more by the least`,
          await peakMemory(server.pid),
        ],
      };
    },
  },
];

/** The files of a model, of which three say something. */
function model(index: number): Record<string, string | Uint8Array<ArrayBuffer>> {
  const pick = <T>(all: readonly T[], by: number) => all[Math.floor(index / by) % all.length];
  const prose = Array.from(
    { length: 300 },
    (_, it) => `${WORDS[(it * (index + 3)) % WORDS.length]}${it % 97}`,
  );
  const parameters = 1000 * (index + 1);
  const header = new TextEncoder().encode(JSON.stringify({
    weight: { dtype: "F16", shape: [parameters], data_offsets: [0, 2 * parameters] },
  }));
  const weights = new Uint8Array(8 + header.length + 2 * parameters);
  new DataView(weights.buffer).setUint32(0, header.length, true);
  weights.set(header, 8);
  const others = Array.from({ length: FILES - 3 }, (_, it) => [`part-${it}.txt`, `${index} ${it}`]);
  return {
    "README.md": `---\nlicense: ${
      pick(LICENSES, 1)
    }\nlibrary_name: transformers\n---\n# Model ${index}\n${prose.join(" ")}\n`,
    "config.json": JSON.stringify({ model_type: pick(ARCHITECTURES, 5) }),
    "model.safetensors": weights,
    ...Object.fromEntries(others),
  };
}

/** Waits until the index knows all. */
async function settled(client: Client, tables: SearchTables): Promise<void> {
  while (await tables.marks() > 0 || !(await search(client, "q=none+of+this")).complete) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function search(client: Client, query: string): Promise<FoundList> {
  return v.parse(
    FoundList,
    dataOf(await expectOk(client.send("GET", `/resources/search?${query}`))),
  );
}

/** How long searches take while files come and go, in milliseconds. */
async function searchBesideChanges(client: Client) {
  const times: number[] = [];
  let [found, isOver] = [0, false];
  const changes = (async () => {
    for (let round = 0; !isOver; round++) {
      await expectOk(client.upload("beside", { [`${round}.txt`]: `${round}` }));
      if (round % 5 === 4) await expectOk(client.remove({ path: "beside" }));
    }
  })();
  for (let index = 0; index < SEARCHES; index++) {
    const [license, architecture] = [
      LICENSES[index % LICENSES.length],
      ARCHITECTURES[Math.floor(index / 5) % ARCHITECTURES.length],
    ];
    const query =
      `kind=model&license=${license}&architecture=${architecture}&parameters=20000..60000&limit=50`;
    times.push(
      1000 * await seconds(async () => {
        found += (await search(client, query)).total;
      }),
    );
  }
  isOver = true;
  await changes;
  return { times, found };
}

/**
 * What forms of a hundred files take of the processor, until the index knows them, and without the triggers that note
 * changes for it, in turn. In milliseconds for each form.
 */
async function uploadsInTurn(client: Client, tables: SearchTables, pid: number) {
  const taken = async () => await cpuSeconds(pid) + await tables.cpuSeconds();
  const times: { with: number[]; without: number[] } = { with: [], without: [] };
  let directory = 0;
  for (let round = 0; round < 2 * ROUNDS; round++) {
    for (const kind of ["with", "without"] as const) {
      if (kind === "without") await tables.ignoreChanges();
      const before = await taken();
      for (let upload = 0; upload < FORMS; upload++) {
        const place = `uploads/${directory++}`;
        const files = Object.fromEntries(
          Array.from({ length: 100 }, (_, it) => [`file-${it}.bin`, `${place} ${it}`]),
        );
        await expectOk(client.upload(place, files));
      }
      if (kind === "with") await settled(client, tables);
      times[kind].push(1000 * (await taken() - before) / FORMS);
      if (kind === "without") await tables.noteChanges();
    }
  }
  return times;
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}
