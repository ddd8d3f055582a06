import { type Call, type Container, isContainer, type PickleValue } from "./values.ts";

type Holder = Container | Call;

/** Objects that a value would have if each were written out wherever it is met. */
export function expandedSize(root: PickleValue): number {
  const sizes = new Map<PickleValue, number>();
  const pending: PickleValue[] = [root];
  for (let value = pending.at(-1); value !== undefined; value = pending.at(-1)) {
    if (!isHolder(value) || (sizes.get(value) ?? 0) > 0) {
      pending.pop();
      continue;
    }
    const parts = partsOf(value);
    if (sizes.has(value)) {
      sizes.set(value, sum(parts, sizes));
      pending.pop();
      continue;
    }
    sizes.set(value, 0);
    for (const part of parts) if (isHolder(part) && !sizes.has(part)) pending.push(part);
  }
  return sizes.get(root) ?? 1;
}

function isHolder(value: PickleValue): value is Holder {
  return isContainer(value) || value.kind === "call";
}

function partsOf(holder: Holder): readonly PickleValue[] {
  if (holder.kind !== "call") return holder.items;
  return holder.state === undefined ? holder.args : [...holder.args, holder.state];
}

/** Parts that are being counted themselves, as those of a list in itself, count as one. */
function sum(parts: readonly PickleValue[], sizes: ReadonlyMap<PickleValue, number>): number {
  let size = 1;
  for (const part of parts) size += Math.max(1, sizes.get(part) ?? 1);
  return Math.min(size, Number.MAX_SAFE_INTEGER);
}
