import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import { redirectsOutput, severityOfOperation } from "./operations.ts";

export const OPERATIONS = "TensorFlow Operations";
export const ASSET_PATH = "TensorFlow Asset Path";

const MAX_NAME_BYTES = 2048;
/** Distinct operations that are counted. */
const MAX_OPERATIONS = 500;

/** What a {@link GraphWalk} collects. */
export interface GraphFacts {
  graphs: number;
  nodes: number;
  /** The version of TensorFlow that wrote the model; empty if unknown. */
  version: string;
  readonly operations: Map<string, number>;
}

export interface GraphWalkOptions {
  /** Whether the graph is for serving rather than for training. */
  readonly isServed: boolean;
  /** Called for the metadata of each Keras object. */
  readonly onMetadata: (json: ProtobufSpan) => void;
}

/**
 * Walks the messages of a SavedModel, a MetaGraph or a graph: nodes, the function library, functions in
 * attributes, asset files and saved objects.
 */
export class GraphWalk {
  readonly facts: GraphFacts = { graphs: 0, nodes: 0, version: "", operations: new Map() };
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;
  readonly #isServed: boolean;
  readonly #onMetadata: (json: ProtobufSpan) => void;

  constructor(reader: ProtobufReader, checks: Checklist, options: GraphWalkOptions) {
    this.#reader = reader;
    this.#checks = checks;
    this.#isServed = options.isServed;
    this.#onMetadata = options.onMetadata;
  }

  /** Walks a SavedModel. */
  savedModel(message: ProtobufSpan): void {
    this.#each(message, { 2: (span) => this.metaGraph(span) });
  }

  /** Walks a MetaGraphDef. */
  metaGraph(message: ProtobufSpan): void {
    this.#each(message, {
      1: (span) => this.#each(span, { 5: (text) => this.facts.version = this.#name(text) }),
      2: (span) => this.graph(span),
      4: (span) => this.#each(span, { 2: (value) => this.#collection(value) }),
      6: (span) => this.#asset(span),
      7: (span) => this.#objects(span),
    });
  }

  /** Walks a GraphDef. */
  graph(message: ProtobufSpan): void {
    this.facts.graphs += 1;
    this.#each(message, {
      1: (span) => this.#node(span),
      2: (span) => this.#each(span, { 1: (definition) => this.#function(definition) }),
    });
  }

  /** Walks the Keras metadata beside a SavedModel: a SavedMetadata with SavedObject nodes. */
  kerasMetadata(message: ProtobufSpan): void {
    this.#each(message, { 1: (span) => this.#each(span, { 5: (json) => this.#onMetadata(json) }) });
  }

  #function(message: ProtobufSpan): void {
    this.#each(message, {
      3: (span) => this.#node(span),
      5: (span) => this.#attribute("", span),
    });
  }

  #node(message: ProtobufSpan): void {
    this.facts.nodes += 1;
    let operation = "";
    this.#each(message, { 2: (span) => operation = this.#name(span) });
    this.#count(operation);
    this.#checkOperation(operation, message, "A node uses operation");
    this.#each(message, { 5: (span) => this.#attribute(operation, span) });
  }

  #count(operation: string): void {
    const { operations } = this.facts;
    const name = excerpt(operation);
    if (!operations.has(name) && operations.size >= MAX_OPERATIONS) return;
    operations.set(name, (operations.get(name) ?? 0) + 1);
  }

  #checkOperation(operation: string, { start }: ProtobufSpan, label: string): void {
    const severity = severityOfOperation(operation, this.#isServed);
    if (severity === undefined) return;
    this.#checks.add(OPERATIONS, {
      severity,
      message: `${label} ${quotedExcerpt(operation)}`,
      position: start,
      ruleCode: "S1102",
      details: { op: excerpt(operation) },
    });
  }

  /** An entry of the attribute map. */
  #attribute(operation: string, entry: ProtobufSpan): void {
    let name = "";
    this.#each(entry, { 1: (span) => name = this.#name(span) });
    this.#each(entry, { 2: (span) => this.#value(operation, name, span) });
  }

  #value(operation: string, name: string, value: ProtobufSpan): void {
    const text = (span: ProtobufSpan) => this.#text(operation, name, span);
    const called = (span: ProtobufSpan) => this.#called(span);
    this.#each(value, {
      1: (list) => this.#each(list, { 2: text, 9: called }),
      2: text,
      10: called,
    });
  }

  /** A function reference, whose name can be that of an operation. */
  #called(message: ProtobufSpan): void {
    this.#each(message, {
      1: (span) => this.#checkOperation(this.#name(span), message, "A node calls operation"),
      2: (span) => this.#attribute("", span),
    });
  }

  #text(operation: string, attribute: string, span: ProtobufSpan): void {
    const text = this.#name(span);
    if (!redirectsOutput(operation, attribute, text)) return;
    this.#checks.add(OPERATIONS, {
      severity: "critical",
      message: `A node with operation ${quotedExcerpt(operation)} writes to ${quotedExcerpt(text)}`,
      position: span.start,
      ruleCode: "S1102",
    });
  }

  /** A collection, whose values of type Any can be asset files. */
  #collection(message: ProtobufSpan): void {
    this.#each(message, {
      5: (list) => this.#each(list, { 1: (any) => this.#any(any) }),
    });
  }

  #any(message: ProtobufSpan): void {
    let type = "";
    this.#each(message, { 1: (span) => type = this.#name(span) });
    if (!type.endsWith("AssetFileDef")) return;
    this.#each(message, { 2: (span) => this.#asset(span) });
  }

  #asset(message: ProtobufSpan): void {
    this.#each(message, { 2: (span) => this.#assetName(span) });
  }

  #assetName(span: ProtobufSpan): void {
    const path = this.#name(span);
    const danger = pathEscape(path);
    if (danger === undefined) return;
    this.#checks.add(ASSET_PATH, {
      severity: "critical",
      message: `The path of an asset is ${danger}: ${quotedExcerpt(path)}`,
      position: span.start,
      ruleCode: "S405",
      why: "A loader that follows the path reads files outside the model's folder",
    });
  }

  /** The saved objects. Those of user-defined classes can have Keras metadata. */
  #objects(message: ProtobufSpan): void {
    const userObject = (span: ProtobufSpan) =>
      this.#each(span, { 3: (json) => this.#onMetadata(json) });
    this.#each(message, { 1: (node) => this.#each(node, { 4: userObject }) });
  }

  #each(
    message: ProtobufSpan,
    actions: Readonly<Record<number, (span: ProtobufSpan) => void>>,
  ): void {
    for (const field of this.#reader.fields(message)) {
      if (field.kind === "bytes") actions[field.number]?.(field.span);
    }
  }

  #name(span: ProtobufSpan): string {
    return this.#reader.text(span, MAX_NAME_BYTES);
  }
}
