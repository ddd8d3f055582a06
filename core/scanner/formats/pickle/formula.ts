import type { Reach } from "./reach.ts";
import { type PickleValue, PLAIN, type TextOf } from "./values.ts";

/** Terms of a formula that only look up names and compute: `y`, `C(group)`, `I(x**2)`, `np.log(x + 1)`. */
const PLAIN_TERM =
  /^(?:\w+|C\(\w+\)|I\(\w+ ?\*\* ?\d\)|np\.(?:abs|cos|exp|log|log10|log1p|log2|sin|sqrt|square)\(\w+(?: ?[+*-] ?\d{1,6})?\))$/;

/** Whether data of statsmodels evaluates a text of its state: it does so under two keys. */
export function evaluatesFormula(
  state: PickleValue,
  { textOf, reach }: { readonly textOf: TextOf; readonly reach: Reach },
): boolean {
  if (state.kind !== "dict" || state.omitted > 0 || !reach.spend(state.items.length)) return true;
  let formula: string | undefined;
  let isEvaluated = false;
  for (let i = 0; i < state.items.length; i += 2) {
    const key = textOf(state.items[i] ?? PLAIN);
    if (key === undefined) return true;
    if (key === "restore_design_info" || key === "restore_model_spec") isEvaluated = true;
    if (key === "formula") formula = textOf(state.items[i + 1] ?? PLAIN);
  }
  return isEvaluated && !isPlainFormula(formula ?? "");
}

function isPlainFormula(formula: string): boolean {
  const terms: string[] = [];
  // Operators within parentheses belong to a term.
  let [depth, start] = [0, 0];
  for (let i = 0; i <= formula.length; i++) {
    const character = formula[i] ?? "~";
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (depth === 0 && "~+:*-".includes(character)) {
      terms.push(formula.slice(start, i).trim());
      start = i + 1;
    }
  }
  return depth === 0 && terms.every((term) => PLAIN_TERM.test(term));
}
