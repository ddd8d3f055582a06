import * as v from "valibot";
import { FileDecision } from "../../schemas/policy.ts";
import { printable } from "../../schemas/printable.ts";
import { mirroredName } from "../mirror/mirrored_name.ts";
import { askedRevision, mirroredFiles } from "../mirror/revisions.ts";
import { printLines } from "../output.ts";
import { Connection, type ConnectionOptions } from "../remote/connection.ts";
import { RemoteError } from "../remote/remote_error.ts";
import { listItems } from "../remote/reply.ts";
import { remoteDirectory } from "../remote/verb.ts";

/** Prints of each file of a repository, or at and below a path, whether it could be downloaded, and why. */
export async function checkFiles(
  given: string,
  { json, ...options }: ConnectionOptions & { readonly json: boolean },
): Promise<number> {
  const connection = await Connection.open(options);
  let areAllowed = true;
  async function* lines() {
    for await (const file of await decisions(connection, given)) {
      areAllowed &&= file.outcome === "allow";
      yield json ? JSON.stringify(file) : decisionLine(file);
    }
  }
  await printLines(lines());
  return areAllowed ? 0 : 1;
}

/** What would happen to the files that an argument means: of the tree, or else of the hub that is mirrored. */
async function decisions(
  connection: Connection,
  given: string,
): Promise<AsyncIterable<FileDecision>> {
  const isMirrored = /^(?:datasets\/)?[^/:]+\/[^/:]+$/.test(given) && !given.startsWith("models/");
  try {
    if (isMirrored && given.includes("@")) return await mirroredDecisions(connection, given);
    const path = pathOf(given);
    const response = await connection.request("GET", "/resources/policy", { query: { path } });
    return ownDecisions(response);
  } catch (error) {
    if (!isMirrored || !(error instanceof RemoteError) || error.kind !== "ErrResourcesNotFound") {
      throw error;
    }
    try {
      return await mirroredDecisions(connection, given);
    } catch (other) {
      // The server mirrors nothing, or not for this user.
      const isClosed = other instanceof RemoteError &&
        (other.status === 403 || other.kind === "ErrMirrorNotOffered");
      throw isClosed ? error : other;
    }
  }
}

async function* ownDecisions(response: Response): AsyncGenerator<FileDecision> {
  for await (const items of listItems(response)) yield* v.parse(v.array(FileDecision), items);
}

async function mirroredDecisions(
  connection: Connection,
  given: string,
): Promise<AsyncIterable<FileDecision>> {
  const revision = await askedRevision(connection, mirroredName(given));
  return mirroredFiles(connection, revision);
}

/** The directory of a repository such as `ns/name`, or a path as it is if it begins otherwise. */
function pathOf(given: string): string {
  const path = remoteDirectory(given);
  const isRepository = /^[^/:]+\/[^/]+$/.test(given) && !/^(?:models|datasets)\//.test(given);
  if (isRepository) return `models/${path}`;
  return path;
}

const OUTCOMES: Readonly<Record<FileDecision["outcome"], string>> = {
  allow: "allowed",
  deny: "refused",
  undecided: "undecided",
};

function decisionLine({ path, outcome, rule, words, missing }: FileDecision): string {
  const until = missing.length === 0 ? "" : ` (not known yet: ${missing.join(", ")})`;
  return `${printable(path)}: ${OUTCOMES[outcome]} by ${rule}: ${printable(words)}${until}`;
}
