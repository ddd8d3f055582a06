import { GATE_RULE } from "../../schemas/policy.ts";
import { type Caller, ownerOf } from "../caller.ts";
import { sanitizeDirectory } from "../paths.ts";
import type { Decision } from "../policy/judge.ts";
import type { ResourceRecord } from "../ports.ts";
import { type ContentVerdict, ruleCodesOf } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { resolveTargets } from "./targets.ts";

/** A file, and what the gate and the policy say about it now. */
export interface DecidedFile {
  readonly record: ResourceRecord;
  readonly decision: Decision;
}

/** That of a file without any rules. */
export const ALLOWED: Decision = { outcome: "allow", rule: "default", words: "No rule refuses it" };

/**
 * What would happen to who downloads the files at and below a path, in batches (C 28). The gate decides first.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid, `ErrResourcesNotFound` when it has no
 *   record.
 */
export async function* listDecisions(
  tree: Tree,
  { caller, path }: { readonly caller: Caller; readonly path: string },
): AsyncGenerator<readonly DecidedFile[]> {
  const root = sanitizeDirectory(path);
  const paths = root === "" ? [] : [root];
  const { byPath: [named] } = await resolveTargets(tree, { caller, paths, ids: [] }, "judge");
  for await (
    const records of tree.records.list({
      scope: { userId: named?.userId ?? ownerOf(caller), everyone: false },
      recursive: true,
      directories: paths,
      chain: [],
    })
  ) {
    const files = records.filter(({ isDir }) => !isDir);
    if (files.length === 0) continue;
    const contents = await tree.verdicts.of(files);
    const judged = files.flatMap((record, index) => {
      const { userId, path, size } = record;
      const content = contents[index];
      return content === undefined ? [] : [{ record, userId, path, size, content }];
    });
    const signatures = await tree.policy?.signaturesOf(judged);
    yield judged.map(({ record, ...file }, index) => {
      const decision = gateDecision(tree.gate, file.content, record.name) ??
        tree.policy?.judge({ ...file, signature: signatures?.[index] }) ?? ALLOWED;
      return { record, decision };
    });
  }
}

/** What the gate says about a file unless it accepts its verdict. */
export function gateDecision(
  gate: Tree["gate"],
  content: ContentVerdict,
  name: string,
): Decision | undefined {
  if (gate === undefined || gate.accepts(content, name)) return undefined;
  const { verdict, findings } = content;
  const rule = GATE_RULE;
  if (verdict === "pending") {
    return { outcome: "undecided", rule, words: "It waits for its scan", missing: ["verdict"] };
  }
  const words = ["Its verdict is", verdict, ...ruleCodesOf(findings)].join(" ");
  return { outcome: "deny", rule, words };
}
