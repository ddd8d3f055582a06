import { itemsJson } from "../../core/entries.ts";
import type { Decision } from "../../core/policy/judge.ts";
import type { ItemsJson } from "../../core/ports.ts";
import type { DecidedFile } from "../../core/tree/decisions.ts";
import type { FileDecision } from "../../schemas/policy.ts";

/** Batches of files with what would happen to them, as parts of a list (C 28). */
export async function* decisionLists(
  batches: AsyncIterable<readonly DecidedFile[]>,
): AsyncGenerator<ItemsJson> {
  for await (const batch of batches) {
    yield itemsJson(
      batch,
      ({ record: { path, size }, decision }) =>
        JSON.stringify({ path, size, ...decisionOf(decision) }),
    );
  }
}

/** A decision as callers see it (C 28). */
export function decisionOf(decision: Decision): Omit<FileDecision, "path" | "size"> {
  const { outcome, rule, words } = decision;
  return { outcome, rule, words, missing: outcome === "undecided" ? [...decision.missing] : [] };
}
