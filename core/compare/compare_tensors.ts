import type { TensorChange, WeightsDifference } from "../../schemas/compare.ts";
import type { ListedTensor, TensorList } from "../scanner/mod.ts";
import { tensorsIn } from "./tensor_lists.ts";

/** The most tensors of a model on one side. */
const MAX_TENSORS = 200_000;

/** What is different between the tensors of two models. */
export type TensorsDifference = Pick<
  WeightsDifference,
  "equal" | "added" | "removed" | "changed" | "unread" | "tensors" | "left_out"
>;

/** Why models cannot be compared. */
export interface TooLarge {
  readonly reason: string;
}

/**
 * Compares the tensors of two models by name, type, shape and digest.
 *
 * @param maxTensors The most different tensors that are reported.
 */
export async function compareTensors(
  from: readonly TensorList[],
  to: readonly TensorList[],
  maxTensors: number,
): Promise<TensorsDifference | TooLarge> {
  const former = new Map<string, ListedTensor>();
  for (const list of from) {
    for await (const tensor of tensorsIn(list)) {
      // The first one counts, as in the other model.
      if (!former.has(tensor.name)) former.set(tensor.name, tensor);
      if (former.size > MAX_TENSORS) return tooLarge();
    }
  }
  const found = new Found(maxTensors);
  const seen = new Set<string>();
  for (const list of to) {
    for await (const tensor of tensorsIn(list)) {
      if (seen.has(tensor.name)) continue;
      seen.add(tensor.name);
      if (seen.size > MAX_TENSORS) return tooLarge();
      found.add(former.get(tensor.name), tensor);
      former.delete(tensor.name);
    }
  }
  for (const tensor of former.values()) found.add(tensor, undefined);
  return found.difference;
}

function tooLarge(): TooLarge {
  return { reason: `It has more than ${MAX_TENSORS} tensors` };
}

/** Collects what is different. */
class Found {
  readonly #counts = { equal: 0, added: 0, removed: 0, changed: 0, unread: 0 };
  readonly #tensors: TensorChange[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get difference(): TensorsDifference {
    const { added, removed, changed } = this.#counts;
    const byName = new Intl.Collator("en", { numeric: true });
    return {
      ...this.#counts,
      tensors: this.#tensors.toSorted((a, b) => byName.compare(a.name, b.name)),
      left_out: added + removed + changed - this.#tensors.length,
    };
  }

  add(from: ListedTensor | undefined, to: ListedTensor | undefined): void {
    if (from === undefined || to === undefined) {
      return this.#report(from === undefined ? "added" : "removed", [], from, to);
    }
    const differs = differencesOf(from, to);
    if (differs.length > 0) this.#report("changed", differs, from, to);
    else if (from.digest === null || to.digest === null) this.#counts.unread++;
    else this.#counts.equal++;
  }

  #report(
    action: TensorChange["action"],
    differs: TensorChange["differs"],
    from: ListedTensor | undefined,
    to: ListedTensor | undefined,
  ): void {
    this.#counts[action]++;
    if (this.#tensors.length === this.#max) return;
    const name = to?.name ?? from?.name ?? "";
    this.#tensors.push({ name, action, differs, from: shown(from), to: shown(to) });
  }
}

function differencesOf(from: ListedTensor, to: ListedTensor): TensorChange["differs"] {
  const hasDigests = from.digest !== null && to.digest !== null;
  const sameShape = from.shape.length === to.shape.length &&
    from.shape.every((it, index) => it === to.shape[index]);
  return [
    ...from.dtype === to.dtype ? [] : ["dtype" as const],
    ...sameShape ? [] : ["shape" as const],
    ...hasDigests && from.digest !== to.digest ? ["bytes" as const] : [],
  ];
}

function shown(tensor: ListedTensor | undefined): TensorChange["from"] {
  if (tensor === undefined) return null;
  const { dtype, shape, bytes, digest } = tensor;
  return { dtype, shape: [...shape], bytes, sha256: digest };
}
