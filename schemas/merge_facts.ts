import { MAX_CARD_LENGTH, MAX_FACT_ITEMS, MAX_FACT_LENGTH } from "./fact_limits.ts";
import type { Facts } from "./facts.ts";

/** Facts whose parts are added up. */
const SUMS = ["tensors", "tensor_bytes", "parameters"] as const;
/** Facts that are lists. */
const LISTS = ["languages", "base_models", "datasets", "tags"] as const;

/**
 * What two parts of a whole say (C 29): numbers and types of tensors are added up, lists are joined, and of
 * everything else the first counts.
 */
export function mergeFacts(first: Facts, second: Facts): Facts {
  const sums = SUMS.flatMap((name) => {
    const [a, b] = [first[name], second[name]];
    return a === undefined || b === undefined ? [] : [[name, a + b] as const];
  });
  const lists = LISTS.flatMap((name) => {
    const all = [...first[name] ?? [], ...second[name] ?? []];
    return all.length === 0 ? [] : [[name, all] as const];
  });
  const dtypes = new Map(Object.entries(first.dtypes ?? {}));
  for (const [type, elements] of Object.entries(second.dtypes ?? {})) {
    dtypes.set(type, (dtypes.get(type) ?? 0) + elements);
  }
  return withinLimits({
    ...second,
    ...first,
    ...Object.fromEntries([...sums, ...lists]),
    ...dtypes.size > 0 && { dtypes: Object.fromEntries(dtypes) },
  });
}

/**
 * Facts within their limits, whatever the content says: texts on one line, without characters that control a
 * terminal; numbers that are exact.
 */
export function withinLimits(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => {
      const kept = limited(value, name === "card" ? MAX_CARD_LENGTH : MAX_FACT_LENGTH);
      return kept === undefined ? [] : [[name, kept] as const];
    }),
  );
}

type FactValue = Facts[keyof Facts];

function limited(value: FactValue, length: number): FactValue {
  switch (typeof value) {
    case "string":
      return line(value, length) || undefined;
    case "number":
      return isCount(value) ? value : undefined;
    case "object":
      return Array.isArray(value) ? limitedList(value) : limitedCounts(value);
    case "undefined":
      return undefined;
  }
}

function limitedList(texts: readonly string[]): string[] | undefined {
  const all = [...new Set(texts.map((it) => line(it)))].filter((it) => it !== "");
  return all.length === 0 ? undefined : all.slice(0, MAX_FACT_ITEMS);
}

function limitedCounts(counts: Readonly<Record<string, number>>) {
  const sums = new Map<string, number>();
  for (const [type, elements] of Object.entries(counts)) {
    const name = typeName(type);
    if (isCount(elements)) sums.set(name, (sums.get(name) ?? 0) + elements);
  }
  const all = [...sums].filter(([, it]) => isCount(it)).slice(0, MAX_FACT_ITEMS);
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function line(text: string, length = MAX_FACT_LENGTH): string {
  return text.slice(0, length).toWellFormed().replace(/\s+/g, " ")
    .replace(/\p{C}/gu, "\ufffd").trim();
}

const LONG_NAMES: Readonly<Record<string, string>> = {
  bf: "bfloat",
  f: "float",
  i: "int",
  u: "uint",
  c: "complex",
};

/** A type of elements by one name in all formats: `float32` for `F32`, as well. */
function typeName(type: string): string {
  const name = line(type).toLowerCase();
  const [, letters = "", rest = ""] = /^(bf|[fiuc])(\d{1,3}(?:_\w+)?)$/.exec(name) ?? [];
  const long = LONG_NAMES[letters];
  return long === undefined ? name : `${long}${rest}`;
}
