import type { Finding } from "../../contract/checklist.ts";

/** Why content, or a part of it, cannot be read. */
export interface Unreadable {
  /** The reason as a word, such as `truncated_header`. */
  readonly reason: string;
  readonly message: string;
  /** Whether the content exceeds one of our limits. */
  readonly operational?: boolean;
}

/** The finding that makes unreadable content inconclusive. */
export function unreadableFinding({ reason, message, operational }: Unreadable): Finding {
  return {
    message,
    severity: "info",
    ruleCode: "S902",
    incomplete: reason,
    ...operational ? { operational } : {},
  };
}
