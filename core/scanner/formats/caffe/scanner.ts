import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ByteSource } from "../../contract/source.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import { readTextFormat } from "../../readers/protobuf/read_text_format.ts";
import { MIB } from "../../../../schemas/units.ts";
import { judgeImport } from "../../knowledge/python/judge_import.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { isNet, isNetText } from "./detect.ts";
import { type Layer, readLayers } from "./layers.ts";

const STRUCTURE = "Caffe Network Structure";
const PYTHON = "Caffe Python Layer";
const FILES = "Caffe File Paths";

const MAX_TEXT_BYTES = 64 * MIB;

/** Checks Caffe networks, in protobuf and in its text format: layers that run Python or write files. */
export const caffeScanner = modelScanner({
  id: "caffe",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The network was read completely",
    [PYTHON]: "No layer runs Python code",
    [FILES]: "No layer writes files outside the model's folder",
  },
  matches: (content) => isNet(content) || isNetText(content),
  inspect(content, context, checks) {
    const isText = isNetText(content);
    const reader = new ProtobufReader(content.source);
    const layers = isText ? textLayers(content.source) : readLayers(reader);
    let count = 0;
    for (const layer of layers) {
      count++;
      checkLayer(layer, checks);
    }
    checks.addAll(faultFindings(reader, STRUCTURE));
    if (count === 0) return;
    context.addMetadata(modelMetadata({
      framework: "caffe",
      indicator: isText ? "network in text format" : "NetParameter",
      context: { layer_count_estimate: count, training_framework: "caffe" },
    }));
  },
});

/** The layers of a network in the text format, in order. */
function* textLayers(source: ByteSource): Generator<Layer, void, void> {
  let layer: Layer | undefined;
  for (const { path, value, position } of readTextFormat(source, MAX_TEXT_BYTES)) {
    const [root, parent, key] = path;
    if (path.length === 1 && (root === "layer" || root === "layers") && value === null) {
      if (layer !== undefined) yield layer;
      layer = { type: "", position };
    }
    if (layer === undefined || typeof value !== "string") continue;
    if (path.length === 2 && parent === "type") layer.type = value;
    if (parent === "python_param" && (key === "module" || key === "layer")) layer[key] = value;
    if (parent === "hdf5_output_param" && key === "file_name") layer.writes = value;
  }
  if (layer !== undefined) yield layer;
}

function checkLayer(
  { type, module, layer = "", writes, position }: Layer,
  checks: Checklist,
): void {
  const isPython = type === "Python";
  if (isPython || module !== undefined) {
    checks.add(PYTHON, {
      ...judgeImport(module ?? "", layer),
      message: `A layer is the class ${quotedExcerpt(layer)} of the Python module ${
        quotedExcerpt(module ?? "")
      }`,
      position,
      details: { module: excerpt(module ?? ""), class: excerpt(layer) },
    });
  }
  const danger = writes === undefined ? undefined : pathEscape(writes);
  if (writes === undefined || danger === undefined) return;
  checks.add(FILES, {
    severity: "critical",
    message: `A layer writes to ${danger}: ${quotedExcerpt(writes)}`,
    position,
    ruleCode: "S405",
    why: "Running the network overwrites files outside the model's folder",
  });
}
