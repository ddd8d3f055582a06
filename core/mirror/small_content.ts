import { createHash } from "node:crypto";
import { type Chunk, joinChunks } from "../content.ts";
import { quoted } from "../errors.ts";
import { openFile } from "../tree/file_content.ts";
import { type MirroredFile, type MirrorParts, pathOf } from "./mirror.ts";
import { UpstreamAway } from "./ports.ts";
import type { MirrorEntry } from "./store.ts";

/** How long reading a file may take, in milliseconds. */
const MAX_READ_MS = 10_000;

/**
 * The content of a small file: from the tree, or else from the other hub.
 *
 * @throws {UpstreamAway} when the other hub does not send it in time, or sends something else.
 */
export async function smallContent(
  parts: Pick<MirrorParts, "tree" | "caller" | "upstream">,
  subject: MirroredFile,
): Promise<Chunk> {
  try {
    return await read(parts, subject);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "TimeoutError") throw error;
    const path = quoted(subject.file.path);
    const message = `The other hub does not send ${path} within ${MAX_READ_MS / 1000} s`;
    throw new UpstreamAway(message, undefined, { cause: error });
  }
}

async function read(
  { tree, caller, upstream }: Pick<MirrorParts, "tree" | "caller" | "upstream">,
  subject: MirroredFile,
): Promise<Chunk> {
  const { revision: { kind, id, commitId }, file: { path, size } } = subject;
  const stored = pathOf(subject);
  const scope = { userId: caller.userId, everyone: false };
  const record = (await tree.records.findByPath(scope, [stored])).get(stored);
  const source = record === undefined
    ? await upstream.open(
      { kind, id, commitId, path, size },
      0,
      AbortSignal.timeout(MAX_READ_MS),
    )
    : await openFile(tree, record, { start: 0, end: size });
  const chunks: Chunk[] = [];
  let bytes = 0;
  for await (const chunk of source ?? []) {
    bytes += chunk.length;
    if (bytes > size) break;
    chunks.push(chunk.slice());
  }
  const content = joinChunks(chunks);
  if (digestOf(content, subject.file) === (subject.file.sha256 ?? subject.file.blobId)) {
    return content;
  }
  throw new UpstreamAway("The other hub has sent something else");
}

/** The digest of content that the other hub states of a file. */
function digestOf(content: Chunk, { sha256 }: MirrorEntry): string {
  return sha256 === undefined
    ? createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex")
    : createHash("sha256").update(content).digest("hex");
}
