import { DATATYPE, dimensionsOf, typeOf } from "./attribute.ts";
import { type ChunkedLayout, chunkedLayout, filtersOf, type Hdf5Filter } from "./chunks.ts";
import { type Hdf5Bytes, Hdf5Error } from "./cursor.ts";
import { DATASPACE, FILTERS, LAYOUT } from "./dataset.ts";
import { storedData } from "./layout.ts";
import {
  hasDenseLinks,
  LINK,
  LINK_INFO,
  readLink,
  SYMBOL_TABLE,
  symbolTableObjects,
} from "./links.ts";
import { type HeaderMessage, readMessages, sharedMessage } from "./object_header.ts";
import type { Hdf5File } from "./superblock.ts";
import { MAX_OBJECTS } from "./walk.ts";

/** The types of messages that make a dataset. */
const PARTS = [DATASPACE, DATATYPE, LAYOUT, FILTERS];
/** Longer paths are left out. */
const MAX_PATH = 4096;

/** Where the elements of a dataset are. */
export type DatasetData =
  | { readonly kind: "whole"; readonly begin: number; readonly end: number }
  | {
    readonly kind: "chunks";
    readonly layout: ChunkedLayout;
    readonly filters: readonly Hdf5Filter[];
  };

/** A dataset of a file. */
export interface NamedDataset {
  /** Its path in the file, without a slash at the beginning: the first one that leads to it. */
  readonly name: string;
  /** The type of its elements. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Of its elements. */
  readonly bytes: number;
  /** Undefined if elements are elsewhere, or nowhere. Offsets are those in the source. */
  readonly data: DatasetData | undefined;
}

/** The datasets of a file. */
export interface NamedDatasets {
  readonly datasets: readonly NamedDataset[];
  /** Why some are missing. */
  readonly problem: string | undefined;
}

/** Finds the datasets of a file by their paths. Never throws on malformed content. */
export function namedDatasets({ bytes, root }: Hdf5File): NamedDatasets {
  const walk = new NamedWalk(bytes);
  walk.from(root);
  return walk;
}

class NamedWalk implements NamedDatasets {
  readonly datasets: NamedDataset[] = [];
  problem: string | undefined;
  readonly #bytes: Hdf5Bytes;
  readonly #seen = new Set<number>();
  readonly #left: { readonly address: number; readonly path: string }[] = [];

  constructor(bytes: Hdf5Bytes) {
    this.#bytes = bytes;
  }

  from(root: number): void {
    this.#visit("", root);
    for (let next = this.#left.pop(); next !== undefined; next = this.#left.pop()) {
      const { address, path } = next;
      this.#try(() => this.#object(path, address));
    }
  }

  #object(path: string, address: number): void {
    const parts = new Map<number, HeaderMessage[]>(PARTS.map((type) => [type, []]));
    for (const message of readMessages(this.#bytes, address)) {
      this.#try(() => this.#links(path, message));
      const those = parts.get(message.type);
      if (those === undefined) continue;
      const part = message.isShared ? sharedMessage(this.#bytes, message) : message;
      if (part !== undefined) those.push(part);
    }
    if (parts.get(LAYOUT)?.length !== 0) this.datasets.push(datasetOf(this.#bytes, path, parts));
  }

  #links(path: string, message: HeaderMessage): void {
    if (message.isShared) return;
    switch (message.type) {
      case LINK: {
        const link = readLink(this.#bytes, message);
        if (link.kind === "object") this.#visit(`${path}/${link.name}`, link.address);
        return;
      }
      case SYMBOL_TABLE:
        for (const { address, name } of symbolTableObjects(this.#bytes, message)) {
          if (!this.#seen.has(address)) this.#visit(`${path}/${name()}`, address);
        }
        return;
      case LINK_INFO:
        if (hasDenseLinks(this.#bytes, message)) {
          this.problem ??= "Links in dense storage are not read";
        }
    }
  }

  #visit(path: string, address: number): void {
    if (this.#seen.has(address)) return;
    if (this.#seen.size === MAX_OBJECTS || path.length > MAX_PATH) {
      this.problem ??= "The file has too many objects, or too long paths, to read";
      return;
    }
    this.#seen.add(address);
    this.#left.push({ address, path });
  }

  #try(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Hdf5Error)) throw error;
      this.problem ??= "An object in the file is malformed";
    }
  }
}

type Parts = ReadonlyMap<number, readonly HeaderMessage[]>;

/** @throws {Hdf5Error} when a message is malformed. */
function datasetOf(bytes: Hdf5Bytes, path: string, parts: Parts): NamedDataset {
  // Of several messages of a type, libraries take one, and any of them may be it.
  const of = (type: number) => {
    const [message, ...others] = parts.get(type) ?? [];
    if (others.length > 0) throw new Hdf5Error("Several messages of one type");
    return message;
  };
  const [type, space, layout] = [of(DATATYPE), of(DATASPACE), of(LAYOUT)];
  if (type === undefined || space === undefined || layout === undefined) {
    throw new Hdf5Error("A dataset without a type or a space");
  }
  const { name: dtype, bytes: elementBytes, isElsewhere } = typeOf(bytes, type.address);
  const shape = dimensionsOf(bytes, space.address);
  const total = shape?.reduce((product, it) => product * it, elementBytes) ?? 0;
  if (!Number.isSafeInteger(total)) throw new Hdf5Error("A dataset that is too large");
  const data = isElsewhere ? undefined : dataOf(bytes, { layout, filters: of(FILTERS), total });
  return { name: path.slice(1), dtype, shape: shape ?? [0], bytes: total, data };
}

function dataOf(
  bytes: Hdf5Bytes,
  { layout, filters, total }: {
    readonly layout: HeaderMessage;
    readonly filters: HeaderMessage | undefined;
    readonly total: number;
  },
): DatasetData | undefined {
  if (total === 0) return { kind: "whole", begin: 0, end: 0 };
  const chunked = chunkedLayout(bytes, layout);
  if (chunked !== undefined) {
    return {
      kind: "chunks",
      layout: chunked,
      filters: filters === undefined ? [] : filtersOf(bytes, filters),
    };
  }
  const stored = storedData(bytes, layout, total);
  if (stored === undefined || stored.bytes < total) return undefined;
  const begin = bytes.positionOf(stored.address);
  return { kind: "whole", begin, end: begin + total };
}
