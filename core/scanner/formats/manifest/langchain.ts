import type { Finding } from "../../contract/checklist.ts";
import { redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";
import { judgeImport } from "../pickle/policy.ts";

/** Packages whose classes LangChain and LangGraph write themselves. */
const OWN = /^(?:langchain(?:_\w+)?|langgraph(?:_\w+)?)$/;

/** Objects that are remembered. A state of a graph has some hundreds; of more, each is taken for LangChain's. */
const MAX_OBJECTS = 10_000;
/** Longer names are cut off. */
const MAX_PARTS = 100;

const WHY =
  "LangGraph's JsonPlusSerializer imports the name and calls it with the values next to it";

/**
 * What LangChain and LangGraph make of objects `{"lc": 2, "type": "constructor", "id": ["module", "name"]}`
 * (CVE-2025-64439). Keys have any order, so the findings are known at the end.
 */
export class LangChainObjects {
  /** The paths of objects that have the key `lc`. */
  readonly #marked = new Set<string>();
  /** The findings of names, by the path of the object that has each. */
  readonly #suspects: { readonly path: string; readonly finding: Finding }[] = [];
  #path = "";
  #parts: string[] = [];
  #position = 0;

  take({ path, index, value, position }: DocumentEntry): void {
    const key = path.at(-1);
    if (key === "lc" && index === undefined && this.#marked.size < MAX_OBJECTS) {
      this.#marked.add(parentOf(path));
    }
    if (key !== "id" || index === undefined || typeof value !== "string") return;
    if (index === 0) {
      this.#complete();
      this.#path = parentOf(path);
      this.#position = position;
    }
    if (this.#parts.length < MAX_PARTS) this.#parts.push(value);
  }

  /** Call it once, after the last value. */
  findings(): Finding[] {
    this.#complete();
    const isFull = Math.max(this.#marked.size, this.#suspects.length) >= MAX_OBJECTS;
    return this.#suspects.filter(({ path }) => isFull || this.#marked.has(path))
      .map(({ finding }) => finding);
  }

  #complete(): void {
    const parts = this.#parts;
    this.#parts = [];
    const finding = parts.length < 2 ? undefined : findingOf(parts, this.#position);
    if (finding === undefined || this.#suspects.length >= MAX_OBJECTS) return;
    this.#suspects.push({ path: this.#path, finding });
  }
}

function parentOf(path: readonly string[]): string {
  return JSON.stringify(path.slice(0, -1));
}

function findingOf(parts: readonly string[], position: number): Finding | undefined {
  const name = parts.at(-1) ?? "";
  const { level, ruleCode, why = WHY } = judgeImport(parts.slice(0, -1).join("."), name);
  const message = `id of LangChain names ${redactedQuote(parts.join("."))}`;
  switch (level) {
    case "denied":
      return { severity: "critical", ruleCode: ruleCode ?? "S104", message, position, why };
    case "suspicious":
      return { severity: "warning", ruleCode: ruleCode ?? "S107", message, position, why };
    case "unlisted":
      return OWN.test(parts[0] ?? "")
        ? undefined
        : { severity: "warning", ruleCode: "S107", message, position, why };
    case "allowed":
      return undefined;
  }
}
