import type { AppError } from "../errors.ts";
import type { ContentRules } from "../gate.ts";
import { type Decision, judge } from "./judge.ts";
import { type CurrentPolicy, judgesUploads, type Origin } from "./policy.ts";
import { PolicyRefusal } from "./refusal.ts";
import { treeFacts, type TreeFile } from "./tree_facts.ts";

/** Applies the rules of the last reload to the files of trees (C 28). */
export class TreeRules implements ContentRules {
  /** @param mirror The user whose tree has what is mirrored. */
  constructor(
    private readonly current: CurrentPolicy,
    private readonly mirror?: number,
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
    if (decision === undefined || decision.outcome === "allow") return undefined;
    if (decision.outcome === "deny") return new PolicyRefusal("download", shownPath, decision);
    // What the tree does not know of a mirrored file, the mirror has judged.
    return this.#originOf(file) === "mirror" ? undefined : "undecided";
  }

  #originOf({ userId }: TreeFile): Origin {
    return userId === this.mirror ? "mirror" : "upload";
  }
}
