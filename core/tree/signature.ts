import type { SignatureOutcome, SignatureProblem } from "../../schemas/signatures.ts";
import { AppError, quoted } from "../errors.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";
import { joinPath, parentOf } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { TreeBundle } from "../signatures/find_signatures.ts";
import type { Manifest } from "../signatures/manifest.ts";
import type { SignedBy } from "../signatures/trusted.ts";
import type { Tree } from "./changes.ts";
import { signatureBy } from "./signatures.ts";
import { onlyTarget, type TargetRequest } from "./targets.ts";

/** Files that are not as they were signed which are named. */
const MAX_PROBLEMS = 1000;

/** The signature on a record, compared file by file (C 29). */
export interface RecordSignature {
  readonly record: ResourceRecord;
  readonly signature: SignatureOutcome;
  /** The path of the bundle that is about it. */
  readonly bundle: string | undefined;
  /** How many files are as they were signed. */
  readonly files: number;
  /** How many files the signer has left out. */
  readonly leftOut: number;
  /** The first files that are not as they were signed. */
  readonly problems: readonly { readonly path: string; readonly problem: SignatureProblem }[];
}

/**
 * The signature on a file, or on a directory with all below it: its files, each with its digest, are to be those that
 * the nearest bundle names.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when not exactly one path or id is given, or the path
 *   is invalid, `ErrResourcesNotFound` when it has no record, `ErrNotOffered` where nobody is trusted.
 */
export async function signature(tree: Tree, request: TargetRequest): Promise<RecordSignature> {
  const { signatures } = tree;
  if (signatures?.isOn !== true) {
    throw new AppError(
      "ErrNotOffered",
      "Cannot verify signatures: strongroom.toml has no [signatures]",
    );
  }
  const record = await onlyTarget(tree, request, "verify");
  const directory = record.isDir ? record.path : parentOf(record.path);
  const bundle = (await signatures.bundles(record.userId, [directory])).get(directory);
  const none = { record, bundle: bundle?.path, files: 0, leftOut: 0, problems: [] };
  if (bundle === undefined) return { ...none, signature: { state: "unsigned" } };
  const { outcome } = bundle;
  if ("reason" in outcome) {
    return { ...none, signature: { state: "invalid", reason: outcome.reason } };
  }
  const { states, ...found } = await compared(tree, record, bundle, outcome.manifest);
  const [alone] = record.isDir ? [] : states;
  return { ...none, ...found, signature: alone ?? together(found, outcome.by) };
}

/** The signature on a directory. */
function together(
  { files, problems }: Pick<RecordSignature, "files" | "problems">,
  by: SignedBy,
): SignatureOutcome {
  const [first, ...others] = problems;
  if (first === undefined) return files > 0 ? { state: "signed", ...by } : { state: "unsigned" };
  const atLeast = problems.length < MAX_PROBLEMS ? "" : "at least ";
  const all = others.length === 0
    ? "is not as it was signed"
    : `and ${atLeast}${others.length} more are not as they were signed`;
  return { state: "invalid", ...by, reason: `${quoted(first.path)} ${all}` };
}

interface Compared extends Pick<RecordSignature, "files" | "leftOut" | "problems"> {
  /** Those of a file that was asked for. */
  readonly states: readonly SignatureOutcome[];
}

/** Compares files with what was signed, until there are too many problems. */
async function compared(
  tree: Tree,
  record: ResourceRecord,
  bundle: TreeBundle,
  manifest: Manifest,
): Promise<Compared> {
  const below = bundle.directory === "" ? 0 : bundle.directory.length + 1;
  const problems: { path: string; problem: SignatureProblem }[] = [];
  const seen = new Set<string>();
  const states: SignatureOutcome[] = [];
  let leftOut = 0;
  let files = 0;
  for await (const page of filesOf(tree, record)) {
    if (isTurnOver()) await takeTurn();
    const verdicts = await tree.verdicts.of(page);
    for (const [index, { path, size }] of page.entries()) {
      const name = path.slice(below);
      const sha256 = verdicts[index]?.sha256 ?? null;
      const outcome = signatureBy(bundle, { path, size, sha256 });
      const isNamed = manifest.files.has(name);
      if (isNamed) seen.add(name);
      if (!record.isDir) states.push(outcome);
      if (outcome.state === "invalid") {
        problems.push({ path, problem: isNamed ? "changed" : "added" });
      } else if (isNamed) files++;
      else if (outcome.state === "unsigned") leftOut++;
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  const prefix = record.isDir ? `${record.path.slice(below)}/`.replace(/^\/$/, "") : undefined;
  for (const name of manifest.files.keys()) {
    if (prefix === undefined || problems.length >= MAX_PROBLEMS) break;
    if (seen.has(name) || !name.startsWith(prefix)) continue;
    problems.push({ path: joinPath(bundle.directory, name), problem: "missing" });
  }
  return { files, leftOut, problems: problems.slice(0, MAX_PROBLEMS), states };
}

async function* filesOf(
  tree: Tree,
  record: ResourceRecord,
): AsyncGenerator<readonly ResourceRecord[]> {
  if (!record.isDir) return yield [record];
  const { userId, path } = record;
  const scope = { userId, everyone: false };
  const query = { scope, recursive: true, directories: [path], chain: [] };
  for await (const page of tree.records.list(query)) yield page.filter(({ isDir }) => !isDir);
}
