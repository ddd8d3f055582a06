import * as v from "valibot";
import { FileDecision } from "../../schemas/policy.ts";
import { printable } from "../../schemas/printable.ts";
import { printLines } from "../output.ts";
import { Connection, type ConnectionOptions } from "../remote/connection.ts";
import { listItems } from "../remote/reply.ts";
import { remoteDirectory } from "../remote/verb.ts";

/** Prints of each file of a repository, or at and below a path, whether it could be downloaded, and why. */
export async function checkFiles(
  given: string,
  { json, ...options }: ConnectionOptions & { readonly json: boolean },
): Promise<number> {
  const path = pathOf(given);
  const connection = await Connection.open(options);
  const response = await connection.request("GET", "/resources/policy", { query: { path } });
  let areAllowed = true;
  async function* lines() {
    for await (const items of listItems(response)) {
      for (const file of v.parse(v.array(FileDecision), items)) {
        areAllowed &&= file.outcome === "allow";
        yield json ? JSON.stringify(file) : decisionLine(file);
      }
    }
  }
  await printLines(lines());
  return areAllowed ? 0 : 1;
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
