import type { Facts } from "../../../../schemas/facts.ts";
import { excerpt } from "../../contract/excerpt.ts";

/** Counts the elements of all tensors in a model, by element type. */
export class ElementCounts {
  readonly #byType = new Map<string, number>();
  #tensors = 0;
  #bytes: number | undefined = 0;

  /** @param bytes Of the elements, if they are known. */
  add(type: string, elements: bigint, bytes?: bigint): void {
    this.#tensors++;
    this.#bytes = this.#bytes === undefined || bytes === undefined
      ? undefined
      : this.#bytes + Number(bytes);
    this.#byType.set(type, (this.#byType.get(type) ?? 0) + Number(elements));
  }

  /** The element types. */
  get types(): Iterable<string> {
    return this.#byType.keys();
  }

  /** The number of parameters and the most common element type, for `ml_context` (SR 2.8). */
  get facts(): Readonly<Record<string, unknown>> {
    const parameters = this.#parameters;
    const precision = [...this.#byType].sort((a, b) => b[1] - a[1])[0]?.[0];
    return {
      ...Number.isSafeInteger(parameters) ? { parameter_count_estimate: parameters } : {},
      ...precision === undefined ? {} : { precision_type: excerpt(precision) },
    };
  }

  /** The tensors in numbers (C 29). */
  get tensorFacts(): Facts {
    return {
      tensors: this.#tensors,
      ...this.#bytes !== undefined && { tensor_bytes: this.#bytes },
      parameters: this.#parameters,
      dtypes: Object.fromEntries(this.#byType),
    };
  }

  get #parameters(): number {
    return this.#byType.values().reduce((sum, count) => sum + count, 0);
  }
}
