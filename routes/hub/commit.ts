import type { Chunk } from "../../core/content.ts";
import { AppError } from "../../core/errors.ts";
import { paced } from "../../core/event_loop.ts";
import { commitFiles } from "../../core/hub/commit.ts";
import { MAX_OPERATIONS } from "../../core/hub/operations.ts";
import type { Operation } from "../../core/hub/ports.ts";
import { requireWritable } from "../../core/hub/read_revision.ts";
import { release } from "../../core/record_lists.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import type { CommitLine, CommitReply } from "../../schemas/hub_commit.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { BodyReader, uploadBodyLimits } from "../request/body.ts";
import { parseQuery } from "../request/query.ts";
import type { Services } from "../serving/route.ts";
import { decodedBase64 } from "./base64.ts";
import { invalidLine, type ParsedLine, parseLine } from "./commit_lines.ts";
import type { Mount } from "./hub_route.ts";
import { linesOf } from "./lines.ts";
import { type Handled, hubJson, pageOf, writableOf } from "./replies.ts";

/** A commit of more lines, or with a long one, is large. */
const MAX_LINES_OF_SMALL = 1000;
/** How many large commits are read and carried out at once, and how many of one user. Others wait, unread. */
const MAX_LARGE_COMMITS = 8;
const MAX_LARGE_COMMITS_OF_USER = 1;

const BLANK = /^\s*$/;
const ascii = new TextDecoder("latin1");

/** Bounds how many large commits are in memory at once. */
export function largeCommitPermits(): Semaphore {
  return new Semaphore(MAX_LARGE_COMMITS, MAX_LARGE_COMMITS_OF_USER);
}

/** A line with its number, from 1. */
interface NumberedLine extends ParsedLine {
  readonly number: number;
}

type Header = Extract<CommitLine, { key: "header" }>["value"];

/** `POST /api/models/{repo}/commit/{rev}` (C 20): one change, all or nothing. */
export async function postCommit(c: Handled, services: Services, mount: Mount): Promise<Response> {
  const { hub, largeCommits, publicUrl } = services;
  const { raw } = c.req;
  // Read at once: a signal that is read after the client has gone never aborts (Deno 2.9.6).
  const { signal } = raw;
  refusePullRequest(raw.url);
  const repository = await writableOf(c, hub, mount);
  auditChange(c, { paths: [repository.directory] });
  const caller = callerOf(c);
  const body = new BodyReader(raw, "body", uploadBodyLimits(hub.tree));
  using held = new DisposableStack();
  let isPermitted: Promise<void> | undefined;
  const permitted = () =>
    isPermitted ??= largeCommits.acquire(signal, caller.userId)
      .then((permit) => void held.use(permit));
  const lines = parsedLines(linesOf(body, permitted), permitted);
  try {
    const { parentCommit, summary, description } = await headerOf(lines);
    const { commitOid, changes } = await commitFiles(hub, {
      caller,
      directory: repository.directory,
      parentCommit: parentCommit ?? undefined,
      message: messageOf(summary, description ?? ""),
      signal,
      operations: operationsOf(lines, (revision) => requireWritable(hub, repository, revision)),
    });
    auditChange(c, {
      paths: [repository.directory],
      records: changedOwners(changes),
      details: { commit: commitOid },
    });
    for (const { records } of changes) release(records);
    const commitUrl = `${pageOf(publicUrl.for(c), mount, repository)}/commit/${commitOid}`;
    const reply: CommitReply = { success: true, commitUrl, commitOid, hookOutput: "" };
    return hubJson(c, reply);
  } finally {
    await lines.return();
  }
}

/** The most characters of the message of a commit. */
const MAX_MESSAGE_CHARS = 4096;

/** The message of a commit as Git has it: the first line, and what follows it. Undefined if it says nothing. */
function messageOf(summary: string, description: string): string | undefined {
  const whole = [summary, description].map((it) => it.replaceAll("\0", "").trim())
    .filter((it) => it !== "").join("\n\n");
  return whole === "" ? undefined : whole.slice(0, MAX_MESSAGE_CHARS);
}

function refusePullRequest(url: string): void {
  const given = parseQuery(url).get("create_pr")?.[0] ?? "0";
  if (["0", "false", ""].includes(given.toLowerCase())) return;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    "Cannot make a pull request: commits go to main (create_pr)",
  );
}

/**
 * Lines that are not blank.
 *
 * @param permitted Waits until there may be many.
 */
async function* parsedLines(
  lines: AsyncIterable<Chunk>,
  permitted: () => Promise<void>,
): AsyncGenerator<NumberedLine, void> {
  let number = 0;
  for await (const line of paced(lines)) {
    number++;
    if (number > MAX_LINES_OF_SMALL) await permitted();
    if (number > MAX_OPERATIONS + 1) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot commit: more than ${MAX_OPERATIONS} changes; make several commits`,
      );
    }
    if (line.length < 10 && BLANK.test(ascii.decode(line))) continue;
    yield { number, ...parseLine(line, number) };
  }
}

/** The header, which comes first. */
async function headerOf(lines: AsyncGenerator<NumberedLine, void>): Promise<Header> {
  const { value: first } = await lines.next();
  if (first?.line.key === "header") return first.line.value;
  throw invalidLine(first?.number ?? 1, "expected the header of the commit");
}

async function* operationsOf(
  lines: AsyncIterable<NumberedLine>,
  requireRevision: (revision: string) => Promise<unknown>,
): AsyncGenerator<Operation, void> {
  for await (const parsed of lines) {
    const { line, number } = parsed;
    switch (line.key) {
      case "header":
        throw invalidLine(number, "the header comes twice");
      case "file":
        yield { kind: "file", path: line.value.path, content: contentOf(parsed) };
        break;
      case "lfsFile": {
        const { path, oid, size } = line.value;
        yield { kind: "lfsFile", path, sha256: oid, size: size ?? undefined };
        break;
      }
      case "deletedFile":
      case "deletedFolder":
        yield { kind: line.key, path: line.value.path };
        break;
      case "copyFile": {
        const { path, srcPath, srcRevision } = line.value;
        if (typeof srcRevision === "string") await requireRevision(srcRevision);
        yield { kind: "copyFile", from: srcPath, path };
        break;
      }
      default:
        line satisfies never;
    }
  }
}

/** The content of a file, decoded. */
async function* contentOf({ line, content, number }: NumberedLine): AsyncGenerator<Chunk, void> {
  if (content === undefined || line.key !== "file") return;
  // The memory of the line is read into again.
  if (line.value.encoding === "utf-8") return yield content.slice();
  try {
    yield* decodedBase64(content);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidLine(number, "its content is not base64 with padding", error);
  }
}
