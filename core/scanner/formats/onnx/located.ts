import type { ByteSource } from "../../contract/source.ts";
import { ProtobufReader, type ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { byteSizeOf, dataTypeName, readTensor } from "./tensor.ts";

const FORMAT = "onnx";
/** The graph of a ModelProto, and the initializers of a graph. */
const GRAPH = 7;
const INITIALIZER = 5;
/** Initializers that are read. */
const MAX_TENSORS = 200_000;

/** Where the initializers of the graph of an ONNX model are. Those in other files have no digest. */
export function locateOnnx(source: ByteSource): LocatedTensors {
  const reader = new ProtobufReader(source);
  const tensors: LocatedTensor[] = [];
  for (const message of initializers(reader)) {
    if (tensors.length === MAX_TENSORS) {
      return { format: FORMAT, tensors, problem: `There are more than ${MAX_TENSORS} tensors` };
    }
    tensors.push(locate(reader, message));
  }
  const problem = reader.faults.size > 0 ? "Not all of the model can be read" : undefined;
  return { format: FORMAT, tensors, problem };
}

function* initializers(reader: ProtobufReader): Generator<ProtobufSpan, void, void> {
  for (const field of reader.fields(reader.root)) {
    if (field.kind !== "bytes" || field.number !== GRAPH) continue;
    for (const part of reader.fields(field.span)) {
      if (part.kind === "bytes" && part.number === INITIALIZER) yield part.span;
    }
  }
}

function locate(reader: ProtobufReader, message: ProtobufSpan): LocatedTensor {
  const tensor = readTensor(reader, message);
  const { name, shape, dataType, external, elementsAt } = tensor;
  const bytes = byteSizeOf(tensor);
  // What is stored twice, or in segments, may be read in more than one way.
  const isWhole = elementsAt !== undefined && !external && !tensor.segment;
  return {
    name,
    dtype: dataTypeName(dataType) ?? `type ${dataType}`,
    shape: shape.map((it) => Math.max(0, it)),
    bytes: bytes === undefined ? null : Number(bytes),
    elements: isWhole ? { begin: elementsAt.start, end: elementsAt.end } : undefined,
  };
}
