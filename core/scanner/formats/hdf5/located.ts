import { createHash } from "node:crypto";
import type { UnpackContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { Hdf5Error } from "../../readers/hdf5/cursor.ts";
import { type NamedDataset, namedDatasets } from "../../readers/hdf5/named_datasets.ts";
import { findSignature, readSuperblock } from "../../readers/hdf5/superblock.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { chunkedElements } from "./chunked_elements.ts";

const FORMAT = "hdf5";

/** Where the datasets of an HDF5 file are. Those in chunks are put together within the limits. */
export function locateHdf5(source: ByteSource, context: UnpackContext): LocatedTensors {
  const base = findSignature(source);
  if (base === undefined) {
    return { format: FORMAT, tensors: [], problem: "The file is not an HDF5 file" };
  }
  try {
    const { datasets, problem } = namedDatasets(readSuperblock(source, base));
    return { format: FORMAT, tensors: datasets.map((it) => located(it, context)), problem };
  } catch (error) {
    if (!(error instanceof Hdf5Error)) throw error;
    return { format: FORMAT, tensors: [], problem: "The file is malformed" };
  }
}

function located({ data, ...dataset }: NamedDataset, context: UnpackContext): LocatedTensor {
  if (data?.kind !== "chunks") return { ...dataset, elements: data };
  return { ...dataset, elements: undefined, digest: digestOfChunks(dataset, data, context) };
}

function digestOfChunks(...of: Parameters<typeof chunkedElements>): string | undefined {
  try {
    const elements = chunkedElements(...of);
    return elements && createHash("sha256").update(elements).digest("hex");
  } catch (error) {
    if (error instanceof Hdf5Error) return undefined;
    throw error;
  }
}
