import { executableFormat } from "./recognize.ts";
import type { Check, Content, Scanner } from "../../contract/scanner.ts";

/** The scanner of executables that lie among models, by their content and whatever their name is. */
export const executableScanner: Scanner = {
  id: "executable",
  matches: ({ source }) => executableFormat(source) !== undefined,
  *scan({ source }: Content): Generator<Check, void, void> {
    const found = executableFormat(source);
    if (found === undefined) return;
    const { format, ruleCode, native } = found;
    yield {
      name: "Executable File",
      status: "failed",
      severity: native ? "critical" : "warning",
      ruleCode,
      message: `The file is ${format}`,
      position: 0,
    };
  },
};
