import type { ByteSource } from "../../contract/source.ts";
import { MAX_TENSOR_NAME } from "../../contract/tensor_list.ts";
import {
  flatbufferIdentifier,
  FlatbufferReader,
  type FlatTable,
} from "../../readers/flatbuffers/flatbuffer.ts";
import { MalformedError } from "../../readers/malformed.ts";
import type { ByteRange, LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { DataBuffer, Model, Subgraph, Tensor, TYPES } from "./schema.ts";

const FORMAT = "tflite";
/** What a text has at most for each unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 4;

/** Where the tensors of a TensorFlow Lite model are that it stores. The others are computed. */
export function locateTflite(source: ByteSource): LocatedTensors {
  if (flatbufferIdentifier(source) !== "TFL3") {
    const problem = "The file does not have the identifier of TensorFlow Lite";
    return { format: FORMAT, tensors: [], problem };
  }
  const tensors: LocatedTensor[] = [];
  try {
    for (const tensor of storedTensors(new FlatbufferReader(source))) tensors.push(tensor);
    return { format: FORMAT, tensors };
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return { format: FORMAT, tensors, problem: error.message };
  }
}

function* storedTensors(reader: FlatbufferReader): Generator<LocatedTensor, void, void> {
  const model = reader.root();
  const buffers = reader.tables(model, Model.buffers)
    .map((buffer) => bufferRange(reader, buffer)).toArray();
  for (const [index, subgraph] of reader.tables(model, Model.subgraphs).toArray().entries()) {
    for (const tensor of reader.tables(subgraph, Subgraph.tensors)) {
      const elements = buffers[reader.int32(tensor, Tensor.buffer) >>> 0];
      if (elements === undefined) continue;
      const name = reader.text(tensor, Tensor.name, MAX_TENSOR_NAME * MAX_BYTES_PER_UNIT);
      yield {
        // Those of different graphs may have the same name.
        name: index === 0 ? name : `graph ${index}: ${name}`,
        dtype: TYPES[reader.int8(tensor, Tensor.type)] ?? "unknown",
        shape: reader.int32s(tensor, Tensor.shape).map((it) => Math.max(0, it)).toArray(),
        bytes: elements.end - elements.begin,
        elements,
      };
    }
  }
}

/** Where the bytes of a buffer are: in it, or after the FlatBuffer. Undefined if it is empty. */
function bufferRange(reader: FlatbufferReader, buffer: FlatTable): ByteRange | undefined {
  const { start, count } = reader.vector(buffer, DataBuffer.data, 1);
  if (count > 0) return { begin: start, end: start + count };
  const begin = reader.uint64(buffer, DataBuffer.offset);
  const size = reader.uint64(buffer, DataBuffer.size);
  return size === 0 ? undefined : { begin, end: begin + size };
}
