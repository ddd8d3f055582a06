import type { Checklist } from "../../contract/checklist.ts";
import type { NumberList } from "../../readers/ubjson/read_ubjson.ts";
import { checkModelText } from "../model/text.ts";

export const TREES = "XGBoost Trees";
export const TEXT = "XGBoost Text";

/** A value of a model, from either encoding. */
interface ModelValue {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null | NumberList;
  readonly position: number;
  readonly index?: number;
}

/** Lists of a tree with one number for each node, and whether the numbers are those of nodes. */
const CHILDREN: ReadonlySet<string> = new Set(["left_children", "right_children"]);
const NODE_LISTS: ReadonlySet<string> = new Set([
  ...CHILDREN,
  "split_indices",
  "split_conditions",
  "default_left",
  "parents",
]);

/** The extent of a list of numbers. */
interface Extent {
  count: number;
  min: number;
  max: number;
}

/** Checks the trees of a booster, as its values come. */
export class BoosterCheck {
  trees = 0;
  version = "";
  readonly #checks: Checklist;
  readonly #lists = new Map<string, Extent>();

  constructor(checks: Checklist) {
    this.#checks = checks;
  }

  take({ path, value, position }: ModelValue): void {
    const [parent, key = ""] = path.slice(-2);
    if (NODE_LISTS.has(key) && parent === "trees") this.#extend(key, value);
    else if (parent === "tree_param" && key === "num_nodes") this.#checkTree(value, position);
    else if (path.length === 1 && key === "version") this.#addVersion(value);
  }

  checkText({ value, position }: ModelValue): void {
    if (typeof value === "string") checkModelText(TEXT, "A text", value, this.#checks, position);
  }

  #addVersion(value: ModelValue["value"]): void {
    if (typeof value === "number" && this.version.length < 20) {
      this.version += `${this.version === "" ? "" : "."}${value}`;
    }
  }

  #extend(key: string, value: ModelValue["value"]): void {
    const extent = this.#lists.get(key) ?? { count: 0, min: Infinity, max: -Infinity };
    this.#lists.set(key, extent);
    const isList = typeof value === "object" && value !== null;
    const { count, min, max } = isList
      ? value
      : { count: 1, min: Number(value), max: Number(value) };
    extent.count += count;
    extent.min = Math.min(extent.min, min ?? extent.min);
    extent.max = Math.max(extent.max, max ?? extent.max);
  }

  /** Checks the lists of a tree. Keys are in order, so `tree_param` ends it. */
  #checkTree(value: ModelValue["value"], position: number): void {
    const nodes = Number(value);
    for (const [key, { count, min, max }] of this.#lists) {
      if (count !== nodes) this.#fail(`has ${count} ${key} for ${nodes} nodes`, position);
      if (CHILDREN.has(key) && (min < -1 || max >= nodes)) {
        this.#fail(`has ${key} from ${min} to ${max}, but ${nodes} nodes`, position);
      }
      if (key === "split_indices" && min < 0) {
        this.#fail(`splits by the feature ${min}`, position);
      }
    }
    this.#lists.clear();
    this.trees++;
  }

  #fail(problem: string, position: number): void {
    this.#checks.add(TREES, {
      severity: "warning",
      message: `Tree ${this.trees} ${problem}`,
      position,
      ruleCode: "S804",
      why: "A program that follows the numbers reads memory outside the tree",
    });
  }
}
