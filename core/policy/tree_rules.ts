import type { AppError } from "../errors.ts";
import type { ContentRules } from "../gate.ts";
import { type Decision, judge } from "./judge.ts";
import { type CurrentPolicy, type FactName, judgesUploads, type Origin } from "./policy.ts";
import { PolicyRefusal } from "./refusal.ts";
import { treeFacts, type TreeFile } from "./tree_facts.ts";

/** What no tree knows of a mirrored file. */
const UNKNOWN: ReadonlySet<FactName> = new Set(["license", "age", "remoteCode"]);
const ELSEWHERE = "Only the mirror knows what it asks for: download the file from /hub/m";

/** Applies the rules of the last reload to the files of trees (C 28). */
export class TreeRules implements ContentRules {
  /**
   * @param mirror The user whose tree has what is mirrored.
   * @param isMirror Whether the mirror itself asks: it judges by what the tree does not know.
   */
  constructor(
    private readonly current: CurrentPolicy,
    private readonly mirror?: number,
    private readonly isMirror = false,
  ) {}

  get canRefuse(): boolean {
    const policy = this.current();
    return policy !== undefined && (this.mirror !== undefined || judgesUploads(policy));
  }

  /** What the rules say about a file. Undefined without any. */
  judge(file: TreeFile): Decision | undefined {
    const policy = this.current();
    return policy && judge(policy, treeFacts(file), this.#originOf(file));
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
    file: Required<TreeFile>,
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
    if (!this.isMirror) return new PolicyRefusal("download", shownPath, { rule, words: ELSEWHERE });
    return missing.every((fact) => UNKNOWN.has(fact)) ? undefined : "undecided";
  }

  #originOf({ userId }: TreeFile): Origin {
    return userId === this.mirror ? "mirror" : "upload";
  }
}
