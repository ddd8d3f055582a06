/** Commits of the hub, below HTTP. */

import { createHash } from "node:crypto";
import type { Caller } from "../../core/caller.ts";
import type { Chunk } from "../../core/content.ts";
import { commitFiles } from "../../core/hub/commit.ts";
import { parkObject } from "../../core/hub/lfs_objects.ts";
import type { CommittedFiles, HubService, Operation } from "../../core/hub/ports.ts";
import { USER_PRIVILEGES } from "./server.ts";

const encoder = new TextEncoder();

/** The repository of the tests. */
export const REPOSITORY = "models/team/model";

/** A caller, with {@link USER_PRIVILEGES} unless the privileges are given. */
export function callerWith(userId: number, ...privileges: string[]): Caller {
  const held = privileges.length > 0 ? privileges : USER_PRIVILEGES;
  return { userId, privileges: new Set(held), expiresAt: Infinity };
}

export function sha256Of(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** What the tree of a user keeps until a commit takes it. */
export async function park(
  hub: HubService,
  caller: Caller,
  content: Uint8Array<ArrayBuffer> | string,
): Promise<string> {
  const bytes = bytesOf(content);
  const sha256 = sha256Of(bytes);
  await parkObject(hub, { caller, sha256, size: bytes.length, content: chunks(bytes) });
  return sha256;
}

/** An operation that adds or replaces a file, by the content itself. */
export function file(path: string, content: Uint8Array<ArrayBuffer> | string): Operation {
  return { kind: "file", path, content: bytesOf(content) };
}

/** An operation that adds or replaces a file, by its SHA-256. */
export function lfsFile(path: string, content: Uint8Array<ArrayBuffer> | string): Operation {
  const bytes = bytesOf(content);
  return { kind: "lfsFile", path, sha256: sha256Of(bytes), size: bytes.length };
}

/** Commits to {@link REPOSITORY}. */
export function commitTo(
  hub: HubService,
  caller: Caller,
  operations: Iterable<Operation> | AsyncIterable<Operation>,
  parentCommit?: string,
): Promise<CommittedFiles> {
  return commitFiles(hub, {
    caller,
    directory: REPOSITORY,
    parentCommit,
    operations: each(operations),
  });
}

async function* each(
  operations: Iterable<Operation> | AsyncIterable<Operation>,
): AsyncGenerator<Operation> {
  yield* operations;
}

/** The content in chunks, whose memory may be given away. */
export async function* chunks(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Chunk> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.slice(at, at + 100_000);
}

function bytesOf(content: Uint8Array<ArrayBuffer> | string): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? encoder.encode(content) : content.slice();
}
