import { excerpt } from "../../contract/excerpt.ts";

/** Counts the elements of all tensors in a model, by element type. */
export class ElementCounts {
  readonly #byType = new Map<string, number>();

  add(type: string, elements: bigint): void {
    this.#byType.set(type, (this.#byType.get(type) ?? 0) + Number(elements));
  }

  /** The element types. */
  get types(): Iterable<string> {
    return this.#byType.keys();
  }

  /** The number of parameters and the most common element type, for `ml_context` (SR 2.8). */
  get facts(): Readonly<Record<string, unknown>> {
    const parameters = [...this.#byType.values()].reduce((sum, count) => sum + count, 0);
    const precision = [...this.#byType].sort((a, b) => b[1] - a[1])[0]?.[0];
    return {
      ...Number.isSafeInteger(parameters) ? { parameter_count_estimate: parameters } : {},
      ...precision === undefined ? {} : { precision_type: excerpt(precision) },
    };
  }
}
