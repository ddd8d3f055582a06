import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import { LAYER, V1_LAYER } from "./detect.ts";

/** What is read of a layer. */
export interface Layer {
  type: string;
  /** The Python module and class of the layer. */
  module?: string;
  layer?: string;
  /** The file that the layer writes. */
  writes?: string;
  readonly position: number;
}

const MAX_TEXT_BYTES = 1024;
/** Fields of a LayerParameter. */
const TYPE = 2;
const HDF5_OUTPUT = 113;
const PYTHON = 130;
/** The field of a V1LayerParameter with the file to write. */
const V1_HDF5_OUTPUT = 14;

/** The layers of a NetParameter. Their weights are skipped. */
export function* readLayers(reader: ProtobufReader): Generator<Layer, void, void> {
  for (const field of reader.fields(reader.root)) {
    if (field.kind !== "bytes") continue;
    if (field.number === LAYER) yield readLayer(reader, field.span, HDF5_OUTPUT);
    if (field.number === V1_LAYER) yield readLayer(reader, field.span, V1_HDF5_OUTPUT);
  }
}

function readLayer(reader: ProtobufReader, message: ProtobufSpan, output: number): Layer {
  const layer: Layer = { type: "", position: message.start };
  for (const field of reader.fields(message)) {
    if (field.kind !== "bytes") continue;
    const { number, span } = field;
    if (output === HDF5_OUTPUT && number === TYPE) layer.type = reader.text(span, MAX_TEXT_BYTES);
    if (output === HDF5_OUTPUT && number === PYTHON) readPython(reader, span, layer);
    if (number === output) readOutput(reader, span, layer);
  }
  return layer;
}

function readPython(reader: ProtobufReader, message: ProtobufSpan, layer: Layer): void {
  for (const field of reader.fields(message)) {
    if (field.kind !== "bytes") continue;
    if (field.number === 1) layer.module = reader.text(field.span, MAX_TEXT_BYTES);
    if (field.number === 2) layer.layer = reader.text(field.span, MAX_TEXT_BYTES);
  }
}

function readOutput(reader: ProtobufReader, message: ProtobufSpan, layer: Layer): void {
  for (const field of reader.fields(message)) {
    if (field.kind === "bytes" && field.number === 1) {
      layer.writes = reader.text(field.span, MAX_TEXT_BYTES);
    }
  }
}
