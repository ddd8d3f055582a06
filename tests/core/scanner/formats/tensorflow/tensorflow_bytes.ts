import { savedModelScanner } from "../../../../../core/scanner/formats/tensorflow/scanner.ts";
import { bytes, type Content, int, message } from "../../readers/protobuf/protobuf_bytes.ts";
import { scan } from "../format_scan.ts";

export function node(operation: string, ...rest: Content[]): Uint8Array {
  return message(bytes(1, `node/${operation}`), bytes(2, operation), ...rest);
}

/** An entry of the attribute map. */
export function attribute(name: string, ...value: Content[]): Uint8Array {
  return bytes(5, bytes(1, name), bytes(2, ...value));
}

/** A function reference in an attribute. */
export const called = (name: string, ...rest: Content[]) => bytes(10, bytes(1, name), ...rest);

/** A function library with one function. */
export function library(...nodes: Uint8Array[]): Uint8Array {
  const definition = [bytes(1, bytes(1, "__inference_f")), ...nodes.map((it) => bytes(3, it))];
  return bytes(2, bytes(1, ...definition));
}

export function metaGraph(graph: Content[], ...rest: Content[]): Uint8Array {
  const info = bytes(1, bytes(4, "serve"), bytes(5, "2.15.0"));
  return message(info, bytes(2, ...graph), ...rest);
}

export function savedModel(graph: Content[], ...rest: Content[]): Uint8Array {
  return message(int(1, 1), bytes(2, metaGraph(graph, ...rest)));
}

export const nodes = (...operations: string[]) => operations.map((it) => bytes(1, node(it)));

/** Operations of every saved model, and of many that serve tables, images and checks. */
export const USUAL_NODES = nodes(
  ..."Placeholder Const MatMul SaveV2 RestoreV2 MergeV2Checkpoints ShardedFilename"
    .split(" "),
  ..."HashTableV2 InitializeTableFromTextFileV2 LookupTableImportV2 DecodeJpeg Assert PrintV2"
    .split(" "),
  "StatefulPartitionedCall",
);

/** A model without findings. */
export const BENIGN = savedModel(
  [...USUAL_NODES, library(node("Relu", attribute("f", called("__inference_g"))))],
  bytes(4, bytes(1, "saved_model_assets"), bytes(2, bytes(5, bytes(1, anyAsset("vocab.txt"))))),
  bytes(6, bytes(1, bytes(1, "Const:0")), bytes(2, "vocab.txt")),
);

/** An asset file as a value of type Any. */
export function anyAsset(path: string): Uint8Array {
  return message(
    bytes(1, "type.googleapis.com/tensorflow.AssetFileDef"),
    bytes(2, bytes(2, path)),
  );
}

export const scanModel = (content: Uint8Array, name = "saved_model.pb") =>
  scan(savedModelScanner, content, { name });

/** Keras metadata with a Lambda layer. */
export function metadataOf(code: string, rest: Record<string, unknown> = {}): string {
  const lambda = { class_name: "__tuple__", items: [code, null, null] };
  const layer = { class_name: "Lambda", config: { function: lambda, module: "__main__" } };
  return JSON.stringify({ class_name: "Sequential", config: { layers: [layer] }, ...rest });
}

/** A SavedMetadata message. */
export function kerasMetadata(...metadata: string[]): Uint8Array {
  return message(
    ...metadata.map((json, index) =>
      bytes(1, int(2, index), bytes(3, "root"), bytes(4, "_tf_keras_sequential"), bytes(5, json))
    ),
  );
}
