import type { Finding } from "../../contract/checklist.ts";
import { redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";
import { judgeImport } from "../pickle/policy.ts";

/** Keys of jsonpickle whose values are names that it imports. */
const NAMES: ReadonlySet<string> = new Set(["py/object", "py/type", "py/function", "py/mod"]);

const WHY = "jsonpickle imports the name and calls it with the values next to it";

/** What jsonpickle does with a value of a JSON text that it has written (C 15). */
export function* jsonPickleFindings(
  { path, value, position }: DocumentEntry,
): Generator<Finding, void, void> {
  const key = path.at(-1) ?? "";
  if (typeof value !== "string") return;
  if (key === "py/repr") {
    const message = `jsonpickle evaluates ${redactedQuote(value)}`;
    yield { severity: "critical", ruleCode: "S104", message, position };
    return;
  }
  if (!NAMES.has(key)) return;
  const dot = value.lastIndexOf(".");
  const module = dot < 0 ? key === "py/mod" ? value : "builtins" : value.slice(0, dot);
  const { level, ruleCode, why = WHY } = judgeImport(module, value.slice(dot + 1));
  const message = `${key} of jsonpickle names ${redactedQuote(value)}`;
  switch (level) {
    case "denied":
      yield { severity: "critical", ruleCode: ruleCode ?? "S104", message, position, why };
      return;
    case "suspicious":
    case "unlisted":
      yield { severity: "warning", ruleCode: ruleCode ?? "S107", message, position, why };
      return;
    case "allowed":
      return;
  }
}
