import type { WeightsDifference } from "../../schemas/compare.ts";
import type { ResourceRecord } from "../ports.ts";
import type { TensorList } from "../scanner/mod.ts";
import { compareTensors } from "./compare_tensors.ts";
import type { KnownFiles } from "./known_files.ts";
import type { TensorLists } from "./tensor_lists.ts";
import type { WeightsPair } from "./weights.ts";

/** Files of weights that are looked at for one comparison. */
const MAX_FILES = 1000;
/** Different tensors that are reported. */
const MAX_REPORTED = 5000;

/** The lists of the files of a model on one side, or why there are none. */
type Lists =
  | { readonly lists: readonly TensorList[] }
  | { readonly pending: number }
  | { readonly reason: string };

/** Compares weights tensor by tensor, within the bounds of one request. */
export class WeightsComparisons {
  readonly found: WeightsDifference[] = [];
  /** Files that are being read, or are going to be. */
  pending = 0;
  readonly #tensors: TensorLists;
  readonly #known: KnownFiles;
  readonly #until: number;
  #files = 0;
  #reported = 0;

  /** @param until How long to wait for files that are read for the first time. */
  constructor(tensors: TensorLists, known: KnownFiles, until: number) {
    this.#tensors = tensors;
    this.#known = known;
    this.#until = until;
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
    const refusal = files.map((it) => this.#known.refusalOf(it)).find((it) => it !== null);
    if (refusal !== undefined) return { ...named, state: "failed", reason: refusal };
    this.#files += from.length + to.length;
    if (this.#files > MAX_FILES) {
      return { ...named, state: "failed", reason: `There are more than ${MAX_FILES} such files` };
    }
    const former = await this.#listsOf(from);
    const latter = await this.#listsOf(to);
    for (const it of [former, latter]) {
      if ("reason" in it) return { ...named, state: "failed", reason: it.reason };
    }
    if (!("lists" in former) || !("lists" in latter)) {
      this.pending += pendingIn(former) + pendingIn(latter);
      return { ...named, state: "pending", reason: null };
    }
    const left = MAX_REPORTED - this.#reported;
    const difference = await compareTensors(former.lists, latter.lists, left);
    if ("reason" in difference) return { ...named, state: "failed", reason: difference.reason };
    this.#reported += difference.tensors.length;
    const problem = [...former.lists, ...latter.lists].find((it) => it.problem !== undefined)
      ?.problem;
    return { ...named, ...difference, state: "compared", reason: problem ?? null };
  }

  async #listsOf(files: readonly ResourceRecord[]): Promise<Lists> {
    const lists: TensorList[] = [];
    let pending = 0;
    for (const file of files) {
      const { userId, hash, name, size } = file;
      const sha256 = this.#known.sha256Of(file);
      const found = await this.#tensors.of({ userId, hash, name, size, sha256 }, this.#until);
      if (found.kind === "failed") return { reason: found.problem };
      if (found.kind === "pending") pending++;
      else lists.push(found.list);
    }
    return pending > 0 ? { pending } : { lists };
  }
}

/** What a comparison has before anything was compared. */
const NOTHING = {
  ...{ equal: 0, added: 0, removed: 0, changed: 0, unread: 0, left_out: 0 },
  tensors: [],
};

function pendingIn(lists: Lists): number {
  return "pending" in lists ? lists.pending : 0;
}
