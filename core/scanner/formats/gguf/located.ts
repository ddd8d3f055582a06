import { Checklist } from "../../contract/checklist.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { hasGgufMagic } from "./detect.ts";
import { GgufMetadata } from "./metadata.ts";
import { GgufReader, UnreadableError } from "./reader.ts";
import { GgufTensors } from "./tensors.ts";

const FORMAT = "gguf";

/** Where the tensors of a GGUF file are. */
export function locateGguf(source: ByteSource): LocatedTensors {
  if (!hasGgufMagic(source)) {
    return { format: FORMAT, tensors: [], problem: "The file does not start with the GGUF magic" };
  }
  try {
    return readTensors(source);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { format: FORMAT, tensors: [], problem: error.message };
  }
}

/** @throws {UnreadableError} when the header cannot be read through to its end. */
function readTensors(source: ByteSource): LocatedTensors {
  const reader = new GgufReader(source);
  if (reader.version < 1 || reader.version > 3) {
    throw new UnreadableError("unknown_version", `Unknown GGUF version ${reader.version}`);
  }
  const tensorCount = reader.count();
  const entryCount = reader.count();
  const checks = new Checklist();
  const metadata = new GgufMetadata(reader, checks);
  metadata.read(entryCount);
  const infos = new GgufTensors(reader, checks);
  infos.read(tensorCount);
  const { alignment } = metadata;
  const dataStart = alignment && Math.ceil(reader.cursor.position / alignment) * alignment;
  const tensors = infos.infos.map(({ name, type, shape, offset, byteSize }): LocatedTensor => {
    const end = byteSize === undefined ? undefined : offset + byteSize;
    const isInside = dataStart !== undefined && end !== undefined &&
      BigInt(dataStart) + end <= BigInt(source.size);
    return {
      name,
      dtype: type,
      shape: shape.map(Number),
      bytes: byteSize === undefined ? null : Number(byteSize),
      elements: isInside
        ? { begin: dataStart + Number(offset), end: dataStart + Number(end) }
        : undefined,
    };
  });
  return {
    format: FORMAT,
    tensors,
    problem: alignment === undefined ? "The alignment is not a power of two" : undefined,
  };
}
