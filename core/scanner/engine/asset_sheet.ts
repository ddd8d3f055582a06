import type { FileResult } from "../contract/file_result.ts";
import type { AssetParts } from "../contract/scanner.ts";
import type { JsonObject } from "../../../schemas/json.ts";
import { plainObject } from "./plain_data.ts";

/** Collects what lies in a file, for its asset (SR 2.2). */
export class AssetCollector {
  /** A format name. */
  type = "unknown";
  #tensors: string[] | undefined;
  #keys: string[] | undefined;
  #contents: JsonObject[] | undefined;

  /** Adds parts to those that are there already. */
  add({ tensors, keys, contents }: AssetParts): void {
    if (tensors) this.#tensors = (this.#tensors ?? []).concat(tensors);
    if (keys) this.#keys = (this.#keys ?? []).concat(keys);
    if (contents) {
      this.#contents = (this.#contents ?? []).concat(contents.map((it) => plainObject(it)));
    }
  }

  get all(): FileResult["asset"] {
    return {
      type: this.type,
      ...(this.#tensors && { tensors: this.#tensors }),
      ...(this.#keys && { keys: this.#keys }),
      ...(this.#contents && { contents: this.#contents }),
    };
  }
}
