import type { JsonObject } from "../../../schemas/json.ts";
import type { FileResult } from "../contract/file_result.ts";
import type { AssetParts } from "../contract/scanner.ts";
import { plainObject } from "./plain_data.ts";

/** Collects the asset of a file (SR 2.2). */
export class AssetCollector {
  /** The name of the format. */
  type = "unknown";
  #tensors: string[] | undefined;
  #keys: string[] | undefined;
  #contents: JsonObject[] | undefined;

  /** Appends to the parts added before. */
  add({ tensors, keys, contents }: AssetParts): void {
    if (tensors) this.#tensors = (this.#tensors ?? []).concat(tensors);
    if (keys) this.#keys = (this.#keys ?? []).concat(keys);
    if (contents) {
      this.#contents = (this.#contents ?? []).concat(contents.map((it) => plainObject(it)));
    }
  }

  get asset(): FileResult["asset"] {
    return {
      type: this.type,
      ...(this.#tensors && { tensors: this.#tensors }),
      ...(this.#keys && { keys: this.#keys }),
      ...(this.#contents && { contents: this.#contents }),
    };
  }
}
