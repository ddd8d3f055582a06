import type { AppError } from "../errors.ts";
import type { ContentRules } from "../gate.ts";
import { type Decision, judge } from "./judge.ts";
import { type CurrentPolicy, judgesUploads } from "./policy.ts";
import { PolicyRefusal } from "./refusal.ts";
import { type TreeFile, uploadFacts } from "./upload_facts.ts";

/** Applies the rules of the last reload to the files of trees (C 28). */
export class UploadRules implements ContentRules {
  constructor(private readonly current: CurrentPolicy) {}

  get canRefuse(): boolean {
    const policy = this.current();
    return policy !== undefined && judgesUploads(policy);
  }

  /** What the rules say about a file. Undefined without any. */
  judge(file: TreeFile): Decision | undefined {
    const policy = this.current();
    return policy && judge(policy, uploadFacts(file), "upload");
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
    if (decision.outcome === "undecided") return "undecided";
    return new PolicyRefusal("download", shownPath, decision);
  }
}
