import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import type { Client } from "../support/client.ts";
import { hubTest } from "../support/hub_clients.ts";
import { noise } from "../support/random.ts";
import { mintToken } from "../support/server.ts";

const NAMED = "weights/größe 1/a #&+.bin";

const FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  ".gitattributes": bytesOf("*.bin filter=lfs diff=lfs merge=lfs -text\n"),
  "README.md": bytesOf("# tiny\n"),
  "config.json": bytesOf('{"model_type": "bert"}'),
  "empty.txt": bytesOf(""),
  "weights/model.bin": noise(200_000),
  [NAMED]: noise(1000),
};

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function hex(algorithm: string, content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest("hex");
}

/** The commit id of files (C 20), computed apart from the server. */
function commitOf(files: Readonly<Record<string, Uint8Array>>): string {
  const lines = Object.keys(files).map((path) => [bytesOf(path), path] as const)
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([, path]) => `${hex("sha256", files[path] ?? "")}  ${path}\n`);
  return hex("sha256", lines.join("")).slice(0, 40);
}

const UNSCANNED = { safe: false, status: "unscanned" };

interface Described {
  readonly path: string;
  readonly size: number;
  readonly blob_id: string;
  readonly security: typeof UNSCANNED;
  readonly sha256?: string;
  readonly lfs_size?: number;
  readonly pointer_size?: number;
}

/** A file as the client describes it. */
function described(path: string): Described {
  const content = FILES[path] ?? new Uint8Array();
  const sha256 = hex("sha256", content);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\n` +
    `size ${content.length}\n`;
  const file = { path, size: content.length, security: UNSCANNED };
  // C 31: a file of Git.
  if (!path.endsWith(".bin")) {
    const blob = Buffer.concat([bytesOf(`blob ${content.length}\0`), content]);
    return { ...file, blob_id: hex("sha1", blob) };
  }
  return {
    ...file,
    blob_id: hex("sha1", `blob ${pointer.length}\0${pointer}`),
    sha256,
    lfs_size: content.length,
    pointer_size: pointer.length,
  };
}

async function fill(client: Client): Promise<void> {
  for (const [path, content] of Object.entries(FILES)) {
    assert.equal((await client.put(`models/team/tiny/${path}`, content)).status, 201, path);
  }
  await client.put("models/team/other/a.txt", "a");
  await client.put("models/zoo/other/a.txt", "a");
  await client.put("datasets/team/tiny/train.csv", "a,b\n");
}

const Info = v.looseObject({ sha: v.string(), siblings: v.nullable(v.array(v.string())) });

const Folder = v.object({ folder: v.string(), id: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)) });

const Reading = v.looseObject({
  model: Info,
  tree: v.array(v.unknown()),
  snapshot: v.string(),
  models: v.array(v.looseObject({ id: v.string() })),
  full: v.record(v.string(), Info),
  metadata: v.object({ path: v.string(), size: v.number() }),
  named: v.object({ path: v.string(), size: v.number() }),
  whoami: v.looseObject({ name: v.string() }),
});

hubTest("C 20 HfApi reads models and data sets", async ({ server, client, step }) => {
  const one = await server.as(1);
  await fill(one);
  await (await server.as(2)).put("models/team/foreign/a.txt", "a");
  const found = v.parse(Reading, await client.program("reading"));
  const paths = Object.keys(FILES).sort();
  const sha = commitOf(FILES);
  const folders = (entries: unknown) =>
    v.parse(v.array(v.unknown()), entries).filter((it) => v.is(Folder, it))
      .map((it) => v.parse(Folder, it).folder).sort();
  const files = (entries: unknown) =>
    v.parse(v.array(v.unknown()), entries).filter((it) => !v.is(Folder, it));
  const sorted = (entries: unknown) =>
    v.parse(v.array(v.looseObject({ path: v.string() })), files(entries))
      .sort((a, b) => a.path < b.path ? -1 : 1);

  await step("C 20 what a model and a data set are", () => {
    const model = {
      id: "team/tiny",
      author: "team",
      sha,
      private: true,
      dated: true,
      tags: [],
      siblings: paths,
    };
    assert.deepEqual(found.model, model);
    assert.deepEqual(found.at_commit, model);
    assert.deepEqual(found.full_ref, model);
    const dataset = commitOf({ "train.csv": bytesOf("a,b\n") });
    assert.deepEqual(found.dataset, { ...model, sha: dataset, siblings: ["train.csv"] });
    const detailed = paths.map((path) => {
      const { size, blob_id, sha256 } = described(path);
      return [path, [size, blob_id, sha256 ?? null]];
    });
    assert.deepEqual(found.detailed, Object.fromEntries(detailed));
  });
  await step("C 20 trees, paths and files", () => {
    assert.deepEqual(folders(found.tree), ["weights"]);
    const top = paths.filter((path) => !path.includes("/"));
    assert.deepEqual(sorted(found.tree), top.map((path) => described(path)));
    assert.deepEqual(found.subtree, [described(NAMED)]);
    assert.deepEqual(folders(found.recursive), ["weights", "weights/größe 1"]);
    assert.deepEqual(sorted(found.recursive), paths.map((path) => described(path)));
    assert.deepEqual(sorted(found.expanded), paths.map((path) => described(path)));
    assert.deepEqual(folders(found.paths_info), ["weights"]);
    assert.deepEqual(files(found.paths_info), [described("config.json")]);
    assert.deepEqual(found.files, paths);
    assert.deepEqual(found.dataset_files, ["train.csv"]);
    assert.equal(files(found.dataset_tree).length, 1);
  });
  await step("C 20 what exists, and what does not", () => {
    assert.deepEqual(found.exists, [true, true, true, true, true]);
    assert.deepEqual(found.absent, [false, false, false, false, false, false, false]);
  });
  await step("C 20 lists of the caller's own tree, and who the caller is", () => {
    assert.equal(found.whoami.name, "user-1");
    const models = found.models.map(({ id }) => id);
    assert.deepEqual(models.sort(), ["team/other", "team/tiny", "zoo/other"]);
    assert.deepEqual(found.by_author, ["team/other", "team/tiny"]);
    assert.deepEqual(found.searched, ["team/other", "zoo/other"]);
    assert.deepEqual(found.sorted, ["team/other", "team/tiny"]);
    assert.deepEqual(found.full["team/tiny"], found.model);
    assert.deepEqual(found.first, models.slice(0, 1));
    assert.deepEqual(found.nobody, []);
    assert.deepEqual(found.datasets, ["team/tiny"]);
  });
  await step("C 20 files and snapshots are at the commit id", () => {
    assert.match(found.metadata.path, new RegExp(`/snapshots/${sha}/config\\.json$`));
    assert.equal(found.metadata.size, FILES["config.json"]?.length);
    assert.ok(found.named.path.endsWith(`/snapshots/${sha}/${NAMED}`));
    assert.equal(found.named.size, 1000);
    assert.match(found.snapshot, new RegExp(`/snapshots/${sha}$`));
  });
  await step("C 20 the commit id changes exactly when the files do", async () => {
    const shaNow = async () => v.parse(Reading, await client.program("reading")).model.sha;
    await one.put("models/team/tiny/README.md", FILES["README.md"] ?? "");
    assert.equal(await shaNow(), sha);
    const changed = bytesOf("# changed\n");
    await one.put("models/team/tiny/README.md", changed);
    assert.equal(await shaNow(), commitOf({ ...FILES, "README.md": changed }));
  });
}, { versions: "all" });

/** The class, status and text of an error, or nothing. */
const Raised = v.record(
  v.string(),
  v.nullable(v.tuple([v.string(), v.nullable(v.number()), v.string()])),
);

/** What callers get for requests that cannot be met. */
const ERRORS = `missing model: RepositoryNotFoundError 404
missing data set: RepositoryNotFoundError 404
missing revision: RevisionNotFoundError 404
missing revision of a tree: RevisionNotFoundError 404
missing folder: EntryNotFoundError 404
missing model of a tree: RepositoryNotFoundError 404
missing file: EntryNotFoundError 404
a folder as a file: EntryNotFoundError 404
missing revision of a file: RevisionNotFoundError 404
missing model of a file: RepositoryNotFoundError 404
missing model of a snapshot: RepositoryNotFoundError 404
missing revision of a snapshot: RevisionNotFoundError 404
no credential: HTTPError 401
wrong credential: HTTPError 401
wrong credential for whoami: HTTPError 401
wrong credential for a file: HTTPError 401
without the privilege to download: GatedRepoError 403
without the privilege to upload: HTTPError 403
discussions: HTTPError 501
spaces: BadRequestError 400
pull requests: BadRequestError 400
`;

/** The class, without what some versions put before it, and the status. */
function summaryOf(error: readonly unknown[] | null): string {
  return (error ?? ["none"]).slice(0, 2).join(" ").replace(/^(?:Remote|HfHub)/, "");
}

hubTest("C 20 callers get the errors of the client", async ({ server, client }) => {
  await fill(await server.as(1));
  const viewer = await mintToken({ userId: 1, privileges: ["resources.view"] });
  const raised = v.parse(Raised, await client.program("errors", viewer));
  const summary = Object.entries(raised).map(([name, error]) => `${name}: ${summaryOf(error)}\n`);
  assert.equal(summary.join(""), ERRORS);
  const says = (name: string, pattern: RegExp) => assert.match(raised[name]?.[2] ?? "", pattern);
  says("without the privilege to download", /resources\.download/);
  says("without the privilege to upload", /resources\.upload/);
  says("spaces", /space/);
  says("pull requests", /pull request/i);
}, { versions: "all" });
