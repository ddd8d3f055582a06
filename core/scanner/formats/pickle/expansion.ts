import { hasParts, partsOf, type PickleValue } from "./values.ts";

/**
 * Returns the number of objects in a value if every shared object were copied wherever it occurs.
 * Linear in the number of distinct objects; a container within itself counts as one.
 */
export function expandedSize(root: PickleValue): number {
  const pending: PickleValue[] = [root];
  for (let value = pending.at(-1); value !== undefined; value = pending.at(-1)) {
    if (!hasParts(value) || value.expanded > 0) {
      pending.pop();
      continue;
    }
    const parts = partsOf(value);
    if (value.expanded < 0) {
      value.expanded = totalSize(parts);
      pending.pop();
      continue;
    }
    value.expanded = -1;
    for (const part of parts) if (hasParts(part) && part.expanded === 0) pending.push(part);
  }
  return hasParts(root) ? root.expanded : 1;
}

function totalSize(parts: readonly PickleValue[]): number {
  let size = 1;
  for (const part of parts) size += hasParts(part) ? Math.max(1, part.expanded) : 1;
  return Math.min(size, Number.MAX_SAFE_INTEGER);
}
