import { AppError, quoted } from "../errors.ts";
import type { Decision } from "./judge.ts";

/** A rule of the policy refuses a file (C 28). */
export class PolicyRefusal extends AppError {
  /**
   * @param verb What cannot be done, such as `upload`.
   * @param subject What the rule refuses: a path, or a repository.
   * @param decision That of the rule, whose words people read.
   */
  constructor(
    verb: string,
    subject: string,
    { rule: name, words }: Pick<Decision, "rule" | "words">,
  ) {
    super(
      "ErrResourcesRefused",
      `Cannot ${verb} ${quoted(subject)}: the rule ${name} refuses it: ${words}`,
    );
    this.rule = name;
  }

  readonly rule: string;
}
