import { Checklist } from "../../contract/checklist.ts";
import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import type { Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { unreadableFinding } from "../tensors/unreadable.ts";

/** A format of models whose scanner makes the same checks on each file. */
export interface ModelFormat extends Pick<Scanner, "id" | "matches"> {
  /** The check that reports what cannot be read. */
  readonly structure: string;
  /** By name, the messages of the checks if they find nothing. */
  readonly passed: Readonly<Record<string, string>>;
  /**
   * Checks the content.
   *
   * @throws {MalformedError} when the rest cannot be read. What was found so far is reported.
   */
  inspect(content: Content, context: ScanContext, checks: Checklist): void;
}

/** The scanner of a format. */
export function modelScanner(format: ModelFormat): Scanner {
  const { id, structure, passed } = format;
  return {
    id,
    matches: (content) => format.matches(content),
    *scan(content, context) {
      const checks = new Checklist<string>(passed);
      const work = () => {
        try {
          format.inspect(content, context, checks);
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error;
          checks.add(structure, unreadableFinding(error));
        }
      };
      yield* emitFailuresOnThrow(work, () => checks.finish());
      yield* checks.finish();
    },
  };
}
