import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { list } from "../shared/api.ts";
import { BY_CONCERN } from "../ui/verdict.ts";

/** More files of a model are not listed. */
export const MAX_FILES = 1000;

/** The verdicts on the first files of a model, the worst first. */
export async function verdictsBelow(
  path: string,
  signal?: AbortSignal,
): Promise<readonly VerdictEntry[]> {
  const found: VerdictEntry[] = [];
  const query = { path, recursive: "true" };
  for await (const items of list<VerdictEntry>("/resources/verdicts", { query, signal })) {
    found.push(...items);
    if (found.length > MAX_FILES) break;
  }
  return found.toSorted((a, b) => BY_CONCERN.indexOf(a.verdict) - BY_CONCERN.indexOf(b.verdict));
}
