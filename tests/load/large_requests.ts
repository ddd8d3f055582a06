/** Attacks by requests that name many files each. */

import { basename } from "node:path/posix";
import type { Client, Reply } from "../support/client.ts";
import type { Attack, Attacker } from "./attack.ts";

const FILES = (small: boolean) => small ? 500 : 24_000;
const MAX_TARGETS = 1000;
const COMMITS = 6;
const NDJSON = { "Content-Type": "application/x-ndjson" };

/** Stores empty files in a directory: 1000 by a form, the others as copies of them. */
export async function storeFiles(client: Client, dir: string, count: number): Promise<void> {
  const first = Math.min(count, 1000);
  const names = Array.from({ length: first }, (_, index) => [`file-${index}`, ""] as const);
  await expectOk(client.upload(`${dir}/0`, Object.fromEntries(names)));
  for (let copies = 1; copies * first < count; copies++) {
    await expectOk(client.copy({ source: `${dir}/0`, destination: `${dir}/${copies}` }));
  }
}

export async function expectOk(reply: Promise<Reply>): Promise<Reply> {
  const { status, text } = await reply;
  if (status !== 200 && status !== 202) throw new Error(text);
  return reply;
}

/** The paths of the files that {@link storeFiles} stores, below its directory. */
function pathsOf(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${Math.floor(index / 1000)}/file-${index % 1000}`,
  );
}

/** The body of a commit of the hub. */
function commit(operations: readonly unknown[]): string {
  return [{ key: "header", value: { summary: "" } }, ...operations]
    .map((line) => JSON.stringify(line)).join("\n");
}

/** Commits to a repository of its own, again and again, and prepares each commit. */
async function commitAgain(
  attacker: Attacker,
  repository: string,
  { body, prepare }: { readonly body: string; readonly prepare: () => Promise<unknown> },
): Promise<void> {
  while (!attacker.ended) {
    await prepare();
    const path = `/../../hub/api/models/team/${basename(repository)}/commit/main`;
    await attacker.request(path, { method: "POST", headers: NDJSON, body });
  }
}

const REPOSITORIES = Array.from({ length: COMMITS }, (_, index) => `models/team/large-${index}`);

export const LARGE_REQUESTS: readonly Attack[] = [
  {
    name: "Commits that delete 24 000 files, 6 at once",
    prepare: (client, small) => storeFiles(client, "deleted", FILES(small)),
    async run(attacker) {
      const paths = pathsOf(FILES(attacker.pick(0, 1) === 1));
      const body = commit(paths.map((path) => ({ key: "deletedFile", value: { path } })));
      await Promise.all(REPOSITORIES.map((repository) =>
        commitAgain(attacker, repository, {
          body,
          async prepare() {
            await attacker.json("POST", "/resources/mkdir", { path: "models/team" });
            await attacker.json("POST", "/resources/copy", {
              source: "deleted",
              destination: repository,
            });
          },
        })
      ));
    },
  },
  {
    name: "Commits that add 24 000 files, 6 at once",
    async run(attacker) {
      const paths = pathsOf(FILES(attacker.pick(0, 1) === 1));
      const body = commit(
        paths.map((path) => ({
          key: "file",
          value: { path, content: "eA==", encoding: "base64" },
        })),
      );
      await Promise.all(REPOSITORIES.map((repository) =>
        commitAgain(attacker, repository, {
          body,
          async prepare() {
            await attacker.request(`/resources/?path=${repository}`, { method: "DELETE" });
            await attacker.json("POST", "/resources/mkdir", { path: repository });
          },
        })
      ));
    },
  },
  {
    name: "Copies, moves and deletes of 24 000 files by their paths",
    prepare: (client, small) => storeFiles(client, "named", FILES(small)),
    async run(attacker) {
      const paths = pathsOf(FILES(attacker.pick(0, 1) === 1));
      const batches = Array.from(
        { length: Math.ceil(paths.length / MAX_TARGETS) },
        (_, index) => paths.slice(index * MAX_TARGETS, (index + 1) * MAX_TARGETS),
      );
      const named = (directory: string, batch: readonly string[]) =>
        batch.map((path) => `${directory}/${path}`);
      while (!attacker.ended) {
        await Promise.all(batches.map(async (batch, index) => {
          const [copied, moved] = [`copied/${index}`, `moved/${index}`];
          const files = batch.map((path) => basename(path));
          for (const path of [copied, moved]) {
            await attacker.json("POST", "/resources/mkdir", { path });
          }
          await attacker.json("POST", "/resources/copy", {
            sources: named("named", batch),
            destination: copied,
          });
          await attacker.json("PUT", "/resources/move", {
            sources: named(copied, files),
            destination: moved,
          });
          const query = named(moved, files).map((path) => `paths[]=${path}`).join("&");
          await attacker.request(`/resources/?${query}`, { method: "DELETE" });
        }));
      }
    },
  },
];
