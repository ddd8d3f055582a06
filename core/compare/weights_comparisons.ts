import type { WeightsDifference } from "../../schemas/compare.ts";
import { MIB } from "../../schemas/units.ts";
import type { ResourceRecord } from "../ports.ts";
import type { TensorList } from "../scanner/mod.ts";
import { compareTensors } from "./compare_tensors.ts";
import type { KnownFiles } from "./known_files.ts";
import type { TensorLists, TensorsOfContent } from "./tensor_lists.ts";
import type { WeightsPair } from "./weights.ts";

/** Files of weights that are looked at for one comparison. */
const MAX_FILES = 1000;
/** Different tensors that are reported. */
const MAX_REPORTED = 5000;
/** The most characters of the lists of a model on one side: they are in memory together. */
const MAX_CHARS = 32 * MIB;

/** Options of {@link WeightsComparisons}. */
export interface WeightsComparisonsOptions {
  readonly tensors: TensorLists;
  readonly known: KnownFiles;
  /** How long to wait for files that are read for the first time, as `performance.now()` has it. */
  readonly until: number;
  /** Waits until lists may be taken into memory. */
  readonly permit: () => Promise<Disposable>;
}

/** Why there are no lists. */
type Missing = Pick<WeightsDifference, "state" | "reason"> & {
  /** Files that are being read, or are going to be. */
  readonly pending: number;
};

/** Compares weights tensor by tensor, within the bounds of one request. */
export class WeightsComparisons {
  readonly found: WeightsDifference[] = [];
  /** Files that are being read, or are going to be. */
  pending = 0;
  readonly #options: WeightsComparisonsOptions;
  #files = 0;
  #reported = 0;

  constructor(options: WeightsComparisonsOptions) {
    this.#options = options;
  }

  async add(weights: WeightsPair): Promise<void> {
    this.found.push(await this.#compare(weights));
  }

  async #compare({ format, files }: WeightsPair): Promise<WeightsDifference> {
    const from = files.flatMap((it) => it.from ?? []);
    const to = files.flatMap((it) => it.to ?? []);
    const named = {
      format,
      from: from.map(({ path }) => path),
      to: to.map(({ path }) => path),
      ...NOTHING,
    };
    const { known, permit } = this.#options;
    const refusal = files.map((it) => known.refusalOf(it)).find((it) => it !== null);
    if (refusal !== undefined) return { ...named, state: "failed", reason: refusal };
    this.#files += from.length + to.length;
    if (this.#files > MAX_FILES) {
      return { ...named, state: "failed", reason: `There are more than ${MAX_FILES} such files` };
    }
    // Nothing is kept in memory while files are read.
    const missing = await this.#missing([...from, ...to]);
    if (missing !== undefined) return this.#without(named, missing);
    using _permit = await permit();
    const former = await this.#listsOf(from);
    if ("state" in former) return this.#without(named, former);
    const latter = await this.#listsOf(to);
    if ("state" in latter) return this.#without(named, latter);
    const left = MAX_REPORTED - this.#reported;
    const difference = await compareTensors(former, latter, left);
    if ("reason" in difference) return { ...named, state: "failed", reason: difference.reason };
    this.#reported += difference.tensors.length;
    const problem = [...former, ...latter].find((it) => it.problem !== undefined)?.problem;
    return { ...named, ...difference, state: "compared", reason: problem ?? null };
  }

  #without(
    named: Omit<WeightsDifference, "state" | "reason">,
    { state, reason, pending }: Missing,
  ): WeightsDifference {
    this.pending += pending;
    return { ...named, state, reason };
  }

  /** Has files read. Undefined if all have been. */
  async #missing(files: readonly ResourceRecord[]): Promise<Missing | undefined> {
    let pending = 0;
    for (const file of files) {
      const found = await this.#find(file);
      if (found.kind === "failed") return failed(found.problem);
      if (found.kind === "pending") pending++;
    }
    return pending === 0 ? undefined : { state: "pending", reason: null, pending };
  }

  async #listsOf(files: readonly ResourceRecord[]): Promise<readonly TensorList[] | Missing> {
    const lists: TensorList[] = [];
    let chars = 0;
    for (const file of files) {
      const found = await this.#find(file);
      if (found.kind === "failed") return failed(found.problem);
      // It was just purged.
      if (found.kind === "pending") return { state: "pending", reason: null, pending: 1 };
      chars += found.list.lines.length;
      if (chars > MAX_CHARS) return failed("It has too many tensors to compare");
      lists.push(found.list);
    }
    return lists;
  }

  #find(file: ResourceRecord): Promise<TensorsOfContent> {
    const { tensors, known, until } = this.#options;
    const { userId, hash, name, size } = file;
    return tensors.of({ userId, hash, name, size, sha256: known.sha256Of(file) }, until);
  }
}

function failed(reason: string): Missing {
  return { state: "failed", reason, pending: 0 };
}

/** What a comparison has before anything was compared. */
const NOTHING = {
  ...{ equal: 0, added: 0, removed: 0, changed: 0, unread: 0, left_out: 0 },
  tensors: [],
};
