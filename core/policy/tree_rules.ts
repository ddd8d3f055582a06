import type { SignatureOutcome } from "../../schemas/signatures.ts";
import type { AppError } from "../errors.ts";
import type { ContentRules, JudgedFile } from "../gate.ts";
import type { RecordLookup } from "../ports.ts";
import type { FindSignatures } from "../signatures/find_signatures.ts";
import { type Decision, judge } from "./judge.ts";
import { type CurrentPolicy, type FactName, judgesUploads, type Origin } from "./policy.ts";
import { PolicyRefusal } from "./refusal.ts";
import { treeFacts, type TreeFile } from "./tree_facts.ts";

/** What no tree knows of a mirrored file. */
const UNKNOWN: ReadonlySet<FactName> = new Set([
  "license",
  "age",
  "remoteCode",
  "signature",
  "signedBy",
]);
const ELSEWHERE = "Only the mirror knows what it asks for: download the file from /hub/m";

export interface TreeRulesOptions {
  /** The user whose tree has what is mirrored. @default nothing is */
  readonly mirror?: number | undefined;
  /** Whether the mirror itself asks: it judges by what the tree does not know. @default false */
  readonly isMirror?: boolean;
  /** @default nobody is trusted */
  readonly signatures?: FindSignatures | undefined;
}

/** Applies the rules of the last reload to the files of trees (C 28). */
export class TreeRules implements ContentRules {
  constructor(
    private readonly current: CurrentPolicy,
    private readonly options: TreeRulesOptions = {},
  ) {}

  get canRefuse(): boolean {
    const policy = this.current();
    return policy !== undefined && (this.options.mirror !== undefined || judgesUploads(policy));
  }

  at(records: RecordLookup): TreeRules {
    const { signatures, ...others } = this.options;
    return new TreeRules(this.current, { ...others, signatures: signatures?.at(records) });
  }

  async signaturesOf(files: readonly JudgedFile[]): Promise<readonly SignatureOutcome[]> {
    const asks = this.current()?.rules.some(({ uploads, conditions }) =>
      uploads && conditions.some(({ fact }) => fact === "signature" || fact === "signedBy")
    );
    if (asks !== true) return [];
    return await this.options.signatures?.of(
      files.map(({ content: { sha256 }, ...file }) => ({ ...file, sha256 })),
    ) ?? [];
  }

  /** What the rules say about a file. Undefined without any. */
  judge(file: TreeFile): Decision | undefined {
    const policy = this.current();
    if (policy === undefined) return undefined;
    const origin = this.#originOf(file);
    // The bundle of what is mirrored need not be in the tree.
    const known = origin === "mirror" ? { ...file, signature: undefined } : file;
    return judge(policy, treeFacts(known), origin);
  }

  /**
   * Refuses a file to be that a rule refuses by what is known of it, before its content if possible.
   *
   * @throws {PolicyRefusal}
   */
  refuseUpload(file: TreeFile): void {
    const decision = this.judge(file);
    if (decision?.outcome === "deny") throw new PolicyRefusal("upload", file.path, decision);
  }

  refusalOf(
    file: JudgedFile & Pick<TreeFile, "signature">,
    shownPath: string,
  ): AppError | "undecided" | undefined {
    const decision = this.judge(file);
    if (decision === undefined) return undefined;
    if (decision.outcome !== "undecided") {
      return decision.outcome === "deny"
        ? new PolicyRefusal("download", shownPath, decision)
        : undefined;
    }
    const { rule, missing } = decision;
    if (this.#originOf(file) === "upload" || !missing.some((fact) => UNKNOWN.has(fact))) {
      return "undecided";
    }
    if (!this.options.isMirror) {
      return new PolicyRefusal("download", shownPath, { rule, words: ELSEWHERE });
    }
    return missing.every((fact) => UNKNOWN.has(fact)) ? undefined : "undecided";
  }

  #originOf({ userId }: TreeFile): Origin {
    return userId === this.options.mirror ? "mirror" : "upload";
  }
}
