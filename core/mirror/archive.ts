import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { StagedBlob } from "../blob_store.ts";
import type { Chunk } from "../content.ts";
import { AppError } from "../errors.ts";
import { openFile } from "../tree/file_content.ts";
import { put } from "../tree/put.ts";
import { admitFetched } from "./admission.ts";
import { ArchiveReader, invalidArchive } from "./archive_reader.ts";
import type { Mirror } from "./files.ts";
import { isForeign, pathOf } from "./mirror.ts";
import { isNameable } from "./revisions.ts";
import type { ListedEntry, MirrorEntry, MirrorRevision, ShelvedRevision } from "./store.ts";
import { shelvedRevision } from "./shelf.ts";

/** How an archive begins. */
const FORMAT = "strongroom mirror 1";
const PAGE_ENTRIES = 500;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const Head = v.object({
  format: v.literal(FORMAT),
  kind: v.picklist(["models", "datasets"]),
  id: v.string(),
  commitId: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)),
  /** What the revision is called. */
  name: v.nullable(v.pipe(v.string(), v.maxLength(250))),
  about: v.object({
    createdAt: v.number(),
    modifiedAt: v.number(),
    tags: v.array(v.string()),
    pipelineTag: v.optional(v.string()),
    libraryName: v.optional(v.string()),
    realId: v.optional(v.string()),
  }),
});

const Entry = v.object({
  path: v.pipe(v.string(), v.check(isNameable)),
  isDir: v.boolean(),
  size: count,
  blobId: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)),
  sha256: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

const Line = v.variant("line", [
  v.object({ line: v.literal("entry"), ...Entry.entries }),
  v.object({ line: v.literal("content"), path: v.string() }),
  v.object({ line: v.literal("end"), files: count }),
]);
type Line = v.InferOutput<typeof Line>;

/**
 * A revision with those of its files that have come in and may be downloaded, as one file (C 28): a line that says
 * what it is, one for each entry, one before the content of each file, and one at the end.
 */
export async function* exportArchive(
  mirror: Mirror,
  revision: MirrorRevision,
  name: string | null,
): AsyncGenerator<Chunk, void> {
  const { tree, caller } = mirror;
  const { kind, id, commitId, about } = revision;
  yield lineOf({ format: FORMAT, kind, id, commitId, name, about });
  for await (const page of pagesOf(mirror, revision)) {
    for (const { path, isDir, size, blobId, sha256 } of page) {
      yield lineOf({ line: "entry", path, isDir, size, blobId, sha256 });
    }
  }
  let files = 0;
  for await (const page of pagesOf(mirror, revision)) {
    for (const file of page.filter(({ fetchedAt }) => fetchedAt !== undefined)) {
      const path = pathOf({ revision, file });
      const scope = { userId: caller.userId, everyone: false };
      const record = (await tree.records.findByPath(scope, [path])).get(path);
      if (record === undefined) continue;
      try {
        await admitFetched(mirror, { revision, file }, record);
      } catch (error) {
        if (error instanceof AppError && isOfContent(error)) continue;
        throw error;
      }
      const content = await openFile(tree, record, { start: 0, end: record.size });
      yield lineOf({ line: "content", path: file.path });
      if (content !== undefined) yield* content;
      files++;
    }
  }
  yield lineOf({ line: "end", files });
}

/**
 * Stores the revision of an archive, and its files, each of which has to have the digest that its entry states
 * (C 28). What came in before an error stays. They are scanned and judged as others are.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when it is no archive, or not whole; `ErrNotPermitted` for a namespace
 *   that is used inside; `ErrResourcesQuotaExceeded` when the mirror has no room.
 */
export async function importArchive(
  mirror: Mirror,
  { content, userId }: { readonly content: AsyncIterable<Chunk>; readonly userId: number },
): Promise<ShelvedRevision> {
  const { store } = mirror;
  const reader = new ArchiveReader(content);
  const head = v.safeParse(Head, await reader.line());
  if (!head.success) throw invalidArchive("it does not begin as one");
  const { format: _format, name, ...described } = head.output;
  const { id, about: { realId = id } } = described;
  if (!isForeign(mirror, described) || !isForeign(mirror, { id: realId })) {
    throw new AppError(
      "ErrNotPermitted",
      `Cannot import ${id}: its namespace is used here`,
    );
  }
  const first = { line: await nextLine(reader) };
  const entries = entriesOf(reader, first);
  if (await store.findRevision(described, described.commitId) === undefined) {
    const asked = { askedFirstAt: Date.now(), askedFirstBy: userId };
    await store.addRevision({ ...described, ...asked }, entries);
  } else {
    // What is known of it does not change.
    while ((await entries.next()).done !== true);
  }
  const revision = await store.findRevision(described, described.commitId);
  if (revision === undefined) throw new Error("A revision that was stored was not found");
  let files = 0;
  let line = first.line;
  for (; line.line === "content"; line = await nextLine(reader), files++) {
    await importFile(mirror, revision, line.path, reader);
  }
  if (line.line !== "end" || line.files !== files) throw invalidArchive("it is not whole");
  await reader.end();
  if (name !== null) {
    await store.keepName(described, name, {
      commitId: described.commitId,
      checkedAt: Date.now(),
    });
  }
  return await shelvedRevision(mirror, revision.revision);
}

async function importFile(
  mirror: Mirror,
  revision: MirrorRevision,
  path: string,
  reader: ArchiveReader,
): Promise<void> {
  const { tree, caller, store, space } = mirror;
  const [file] = await store.findEntries(revision.revision, [path]);
  if (file === undefined || file.isDir) throw invalidArchive("it has content without an entry");
  const target = pathOf({ revision, file });
  using _room = await space.take(target, file.size);
  const blobHash = createHash("sha1").update(`blob ${file.size}\0`);
  await put(tree, {
    ...{ caller, path: target, declaredSize: file.size },
    content: hashing(reader.bytes(file.size), blobHash),
    requireCondition: () => {},
    verify: ({ sha256 }: Pick<StagedBlob, "sha256">) => {
      const isWhole = file.sha256 === undefined
        ? blobHash.digest("hex") === file.blobId
        : sha256 === file.sha256;
      if (!isWhole) throw invalidArchive(`the content of ${JSON.stringify(path)} is another one`);
    },
  });
  await store.noteFetched(revision.revision, path, Date.now());
}

async function* hashing(content: AsyncIterable<Chunk>, hash: Hash): AsyncGenerator<Chunk, void> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The entries of an archive, in pages. `at` is left with the line after them. */
async function* entriesOf(
  reader: ArchiveReader,
  at: { line: Line },
): AsyncGenerator<readonly ListedEntry[], void> {
  let page: ListedEntry[] = [];
  for (; at.line.line === "entry"; at.line = await nextLine(reader)) {
    const { path, isDir, size, blobId, sha256 } = at.line;
    page.push({ path, isDir, size, blobId, sha256 });
    if (page.length < PAGE_ENTRIES) continue;
    yield page;
    page = [];
  }
  yield page;
}

async function nextLine(reader: ArchiveReader): Promise<Line> {
  const line = v.safeParse(Line, await reader.line());
  if (line.success) return line.output;
  throw invalidArchive("a line of it is invalid");
}

/** All entries of a revision, in pages. */
async function* pagesOf(
  { store }: Mirror,
  { revision }: MirrorRevision,
): AsyncGenerator<readonly MirrorEntry[], void> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: MirrorEntry[] = await store.listEntries({
      ...{ revision, below: "", recursive: true, after, limit: PAGE_ENTRIES },
    });
    yield page;
    after = page.length < PAGE_ENTRIES ? undefined : page.at(-1)?.path;
  }
}

/** A value as a line, in ASCII. */
function lineOf(value: unknown): Chunk {
  const text = JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return new TextEncoder().encode(`${text}\n`);
}

/** Whether the gate or the policy refuses a file, for now or for good. */
function isOfContent({ kind }: AppError): boolean {
  return kind === "ErrResourcesQuarantined" || kind === "ErrResourcesRefused";
}
