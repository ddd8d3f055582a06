import type { Checklist } from "../../contract/checklist.ts";
import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { readLines } from "../../readers/text/read_lines.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { checkModelText } from "../model/text.ts";

const STRUCTURE = "LightGBM Model Structure";
const TREES = "LightGBM Trees";
const TEXT = "LightGBM Text";

/** Checks models of LightGBM, which are texts: their trees, and the parameters at their end. */
export const lightGbmScanner = modelScanner({
  id: "lightgbm",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [TREES]: "Every node of a tree refers to nodes and features that exist",
    [TEXT]: "No parameter contains code, paths or credentials",
  },
  matches: ({ source }) => isLightGbm(source),
  inspect({ source }, context, checks) {
    const scan = new ModelLines(checks);
    for (const { text, position } of readLines(source)) scan.take(text, position);
    scan.finish(source.size);
    context.addMetadata(modelMetadata({
      framework: "lightgbm",
      version: scan.version,
      indicator: "tree model text",
      context: { model_type: "boosted trees", training_framework: "lightgbm" },
      facts: { tree_count: scan.trees },
    }));
  },
});

function isLightGbm(source: ByteSource): boolean {
  const [first] = source.read(0, 1);
  return first === 0x74 && /^tree\r?\nversion=v/.test(decodeLatin1(source.read(0, 16)));
}

/** Lists of a tree with one number for each leaf, and for each node. */
const LEAF_LISTS: ReadonlySet<string> = new Set(["leaf_value"]);
const NODE_LISTS: ReadonlySet<string> = new Set([
  "split_feature",
  "threshold",
  "decision_type",
  "left_child",
  "right_child",
]);

interface Range {
  readonly min: number;
  readonly max: number;
}

function isWithin(number: number, { min, max }: Range): boolean {
  return number >= min && number <= max;
}

class ModelLines {
  trees = 0;
  version = "";
  readonly #checks: Checklist;
  #maxFeature = Infinity;
  #leaves = 0;
  #inParameters = false;
  #ended = false;

  constructor(checks: Checklist) {
    this.#checks = checks;
  }

  take(line: string, position: number): void {
    if (line === "end of trees") this.#ended = true;
    if (line === "parameters:") this.#inParameters = true;
    if (this.#ended || this.#inParameters || line.startsWith("feature_names=")) {
      return checkModelText(TEXT, "A parameter", line, this.#checks, position);
    }
    const equals = line.indexOf("=");
    if (equals > 0) this.#entry(line.slice(0, equals), line.slice(equals + 1), position);
  }

  finish(size: number): void {
    if (this.#ended) return;
    this.#checks.add(STRUCTURE, {
      severity: "info",
      message: "The model is cut off",
      position: size,
      ruleCode: "S902",
      incomplete: "truncated",
    });
  }

  #entry(key: string, value: string, position: number): void {
    if (key === "version") this.version = value;
    if (key === "max_feature_idx") this.#maxFeature = Number(value);
    if (key === "Tree") this.trees++;
    if (key === "num_leaves") this.#leaves = Number(value);
    if (LEAF_LISTS.has(key)) this.#checkList(key, value, this.#leaves, position);
    // A tree of one leaf may have empty lists, or none.
    if (NODE_LISTS.has(key) && value !== "") {
      this.#checkList(key, value, this.#leaves - 1, position);
    }
  }

  #checkList(key: string, value: string, expected: number, position: number): void {
    const { count, outside } = this.#inspect(key, value);
    if (count !== expected) {
      this.#fail(`has ${count} of ${key} for ${this.#leaves} leaves`, position);
    }
    if (outside !== undefined) {
      this.#fail(`has the ${key} ${outside}, which does not exist`, position);
    }
  }

  /** How many numbers a list has, and the first one that is out of range. */
  #inspect(key: string, value: string): { count: number; outside: string | undefined } {
    const range = this.#rangeOf(key);
    let count = 0;
    let outside: string | undefined;
    // A line may have millions of numbers: they are not kept.
    for (let start = 0; start < value.length;) {
      const space = value.indexOf(" ", start);
      const end = space < 0 ? value.length : space;
      if (end > start) {
        count++;
        if (range !== undefined && !isWithin(Number(value.slice(start, end)), range)) {
          outside ??= value.slice(start, Math.min(end, start + 20));
        }
      }
      start = end + 1;
    }
    return { count, outside };
  }

  #rangeOf(key: string): Range | undefined {
    if (key === "split_feature") return { min: 0, max: this.#maxFeature };
    // Leaves are below zero: -1 is the first one.
    return key.endsWith("_child") ? { min: -this.#leaves, max: this.#leaves - 2 } : undefined;
  }

  #fail(problem: string, position: number): void {
    this.#checks.add(TREES, {
      severity: "warning",
      message: `Tree ${this.trees - 1} ${problem}`,
      position,
      ruleCode: "S804",
      why: "A program that follows the numbers reads memory outside the tree (CVE-2024-43598)",
    });
  }
}
