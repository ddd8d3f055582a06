/** Facts in words, as choices and in lists. */

import type { MainFacts } from "../../../../schemas/facts.ts";
import type { ConditionName } from "./asked.ts";

const compact = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

const LABELS: Readonly<Record<ConditionName, string>> = {
  kind: "Kind",
  format: "Format",
  parameters: "Parameters",
  license: "License",
  dtype: "Type",
  architecture: "Architecture",
  base_model: "Base model",
  library: "Library",
  task: "Task",
};

const KINDS: Readonly<Record<string, string>> = {
  model: "Models",
  dataset: "Data sets",
  file: "Files",
};

/** What a fact is called. */
export function conditionLabel(name: ConditionName): string {
  return LABELS[name];
}

/** What a value of a fact is called. */
export function valueLabel(name: ConditionName, value: string): string {
  if (name === "kind") return KINDS[value] ?? value;
  return name === "parameters" ? rangeLabel(value) : value;
}

/** A range as the server counts it, in words; others as they are. */
function rangeLabel(text: string): string {
  const [, min, max] = /^(\d+)\.\.(\d*)$/.exec(text) ?? [];
  if (min === undefined) return text;
  if (max === "") return `${compact.format(Number(min))} and more`;
  // It ends one below the next round number.
  const to = compact.format(Number(max));
  return min === "0" ? `up to ${to}` : `${compact.format(Number(min))} to ${to}`;
}

/** The facts of a model in a line. */
export function factsLine(facts: MainFacts): string {
  const [type] = Object.entries(facts.dtypes ?? {}).sort(([, a], [, b]) => b - a)[0] ?? [];
  return [
    facts.parameters === undefined ? undefined : compact.format(facts.parameters),
    facts.quantization ?? type,
    facts.format,
    facts.architecture,
    facts.license,
    facts.task,
  ].filter((it) => it !== undefined && it !== "").join(" · ");
}
