import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { excerpt } from "../../contract/excerpt.ts";
import { Checklist, type Finding } from "../../contract/checklist.ts";
import { faultFindings } from "../protobuf/faults.ts";
import { ProtobufReader } from "../../readers/protobuf/protobuf_reader.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type GraphKind, graphKindOf } from "./detect.ts";
import { KerasMetadata } from "./keras_metadata.ts";
import { searchTextFormat } from "./text_format.ts";
import { ASSET_PATH, type GraphFacts, GraphWalk, OPERATIONS } from "./walk.ts";

const STRUCTURE = "TensorFlow Model Structure";

const PASSED = {
  [STRUCTURE]: "The model was read through to its end",
  [OPERATIONS]: "No operation runs programs or reaches for files",
  [ASSET_PATH]: "No asset lies outside of the folder of the model",
};

/** Models of TensorFlow: SavedModel, MetaGraph, frozen graphs, and the metadata of Keras with them. */
export const savedModelScanner: Scanner = {
  id: "saved_model",
  matches: (content) => graphKindOf(content) !== undefined,
  *scan(content: Content, context: ScanContext): Generator<Check, void, void> {
    const kind = graphKindOf(content) ?? "saved_model";
    const reader = new ProtobufReader(content.source);
    const checks = new Checklist<string>(PASSED);
    const metadata = new KerasMetadata(reader, context);
    const walk = new GraphWalk(reader, checks, {
      isServed: kind === "saved_model",
      onMetadata: (json) => metadata.inspect(json),
    });
    yield* emitFailuresOnThrow(() => walkKind(kind, walk, reader), () => checks.finish());
    if (kind === "text") searchTextFormat(content.source, checks);
    checks.addAll(faultFindings(reader, STRUCTURE));
    if (walk.facts.graphs + metadata.objects === 0) checks.add(STRUCTURE, nothingFound(kind));
    else context.addMetadata(notes(walk.facts, metadata));
    yield* checks.finish();
    if (metadata.objects > 0) yield* metadata.checks();
  },
};

function walkKind(kind: GraphKind, walk: GraphWalk, { root: whole }: ProtobufReader): void {
  switch (kind) {
    case "saved_model":
      return walk.savedModel(whole);
    case "meta_graph":
      return walk.metaGraph(whole);
    case "graph":
      return walk.graph(whole);
    case "keras_metadata":
      return walk.kerasMetadata(whole);
    case "text":
      return;
  }
}

function nothingFound(kind: GraphKind): Finding {
  const isText = kind === "text";
  return {
    severity: "info",
    message: isText
      ? "The model is in the text format, and was searched for operations only"
      : "The content is no model of TensorFlow: it has no graph",
    ruleCode: "S902",
    incomplete: isText ? "protobuf_text_format" : "no_tensorflow_graph",
  };
}

function notes(facts: GraphFacts, metadata: KerasMetadata): Record<string, unknown> {
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
