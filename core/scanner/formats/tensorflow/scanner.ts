import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { excerpt } from "../../contract/excerpt.ts";
import { Checklist, type Finding } from "../../contract/checklist.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { detectGraphKind, type GraphKind } from "./detect.ts";
import { KerasMetadata } from "./keras_metadata.ts";
import { severityOfOperation } from "./operations.ts";
import { ASSET_PATH, type GraphFacts, GraphWalk, OPERATIONS } from "./walk.ts";
import { MIB } from "../../../../schemas/units.ts";

const STRUCTURE = "TensorFlow Model Structure";

const PASSED = {
  [STRUCTURE]: "The model was read completely",
  [OPERATIONS]: "No operation runs programs or accesses arbitrary files",
  [ASSET_PATH]: "No asset is outside the model's folder",
};

/** Checks TensorFlow models: SavedModel, MetaGraph, frozen graphs, and their Keras metadata. */
export const savedModelScanner: Scanner = {
  id: "saved_model",
  matches: (content) => detectGraphKind(content) !== undefined,
  *scan(content: Content, context: ScanContext): Generator<Check, void, void> {
    const kind = detectGraphKind(content) ?? "saved_model";
    const reader = new ProtobufReader(content.source);
    const checks = new Checklist<string>(PASSED);
    const metadata = new KerasMetadata(reader, context);
    const walk = new GraphWalk(reader, checks, {
      isServed: kind === "saved_model",
      onMetadata: (json) => metadata.inspect(json),
    });
    yield* emitFailuresOnThrow(() => walkRoot(kind, walk, reader), () => checks.finish());
    if (kind === "text") checkTextFormat(content.source, checks);
    checks.addAll(faultFindings(reader, STRUCTURE));
    if (walk.facts.graphs + metadata.objects === 0) checks.add(STRUCTURE, noGraph(kind));
    else context.addMetadata(modelMetadata(walk.facts, metadata));
    yield* checks.finish();
    if (metadata.objects > 0) yield* metadata.finish();
  },
};

function walkRoot(kind: GraphKind, walk: GraphWalk, { root }: ProtobufReader): void {
  switch (kind) {
    case "saved_model":
      return walk.savedModel(root);
    case "meta_graph":
      return walk.metaGraph(root);
    case "graph":
      return walk.graph(root);
    case "keras_metadata":
      return walk.kerasMetadata(root);
    case "text":
      return;
  }
}

/** Bytes read of a graph in the text format. */
const MAX_TEXT_BYTES = 64 * MIB;
const NAMED_OPERATION = /\bop\s{0,100}:\s{0,100}["']([A-Za-z0-9_>]{1,200})["']/g;

/** Searches a graph in the text format for operation names. The text is not parsed. */
function checkTextFormat(source: ByteSource, checks: Checklist): void {
  const text = new TextDecoder().decode(source.read(0, MAX_TEXT_BYTES));
  for (const [, operation = ""] of text.matchAll(NAMED_OPERATION)) {
    const severity = severityOfOperation(operation, true);
    if (severity === undefined) continue;
    const message = `A node uses operation "${operation}"`;
    checks.add(OPERATIONS, { severity, message, ruleCode: "S1102" });
  }
}

function noGraph(kind: GraphKind): Finding {
  const isText = kind === "text";
  return {
    severity: "info",
    message: isText
      ? "The model is in the protobuf text format; only operation names were checked"
      : "Not a TensorFlow model: no graph found",
    ruleCode: "S902",
    incomplete: isText ? "protobuf_text_format" : "no_tensorflow_graph",
  };
}

/** Metadata of the file (SR 2.5, SR 2.8). */
function modelMetadata(facts: GraphFacts, metadata: KerasMetadata): Record<string, unknown> {
  const version = facts.version === "" ? null : excerpt(facts.version);
  const indicators = facts.graphs > 0 ? ["GraphDef"] : ["SavedMetadata"];
  return {
    is_model: true,
    op_counts: Object.fromEntries(facts.operations),
    node_count: facts.nodes,
    ...(metadata.model && { model_class: metadata.model.modelClass }),
    ml_context: {
      frameworks: { tensorflow: { name: "tensorflow", version, confidence: 1, indicators } },
      overall_confidence: 1,
      is_ml_content: true,
      model_type: metadata.model?.modelClass ?? null,
      training_framework: "tensorflow",
    },
  };
}
