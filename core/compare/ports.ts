/** What comparisons need from storage. */

import type { TensorList } from "../scanner/mod.ts";
import type { ScanContentOptions } from "../scans/ports.ts";
import type { NamedContent } from "../verdicts.ts";

/** Options of {@link TensorReader.listTensors}. */
export type TensorReadOptions = Pick<ScanContentOptions, "userId" | "memoryLimitMB" | "signal">;

/** Lists the tensors of content in isolation (C 29). */
export interface TensorReader {
  /**
   * Lists the tensors of one file. Settles when nothing of the work is left.
   *
   * @throws {ScanFailure} when the content cannot be read completely.
   * @throws the signal's reason when it aborts.
   */
  listTensors(
    content: { readonly hash: string; readonly name: string },
    options: TensorReadOptions,
  ): Promise<TensorList>;
}

/** Keeps lists of tensors. Like facts, they count for the user who has the content (C 31). */
export interface TensorStore {
  /** The list of the present version, of the content that is stored now. */
  find(content: NamedContent): Promise<TensorList | undefined>;
  /** Keeps a list, unless other content has the hash by now. */
  keep(content: NamedContent, list: TensorList): Promise<void>;
}
