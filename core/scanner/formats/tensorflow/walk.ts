import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { leadsOut } from "../../knowledge/file_reference.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import { severityOfOperation, writesElsewhere } from "./operations.ts";

export const OPERATIONS = "TensorFlow Operations";
export const ASSET_PATH = "TensorFlow Asset Path";

const LONGEST_NAME = 2048;
/** Operations that are counted by name. */
const MAX_OPERATIONS = 500;

/** What a walk through a graph counts. */
export interface GraphFacts {
  graphs: number;
  nodes: number;
  version: string;
  readonly operations: Map<string, number>;
}

/** How a graph is walked through. */
export interface WalkOptions {
  /** Whether the graph is one to be served, rather than one of a training. */
  readonly isServed: boolean;
  /** Is told where the metadata of an object of Keras lies. */
  readonly onMetadata: (json: ProtobufSpan) => void;
}

/**
 * Walks through the messages of a SavedModel or a MetaGraph: nodes, the library of functions, the
 * functions that attributes name, the files of assets, and the objects that a program has left.
 */
export class GraphWalk {
  readonly facts: GraphFacts = { graphs: 0, nodes: 0, version: "", operations: new Map() };
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;
  readonly #isServed: boolean;
  readonly #onMetadata: (json: ProtobufSpan) => void;

  constructor(reader: ProtobufReader, checks: Checklist, options: WalkOptions) {
    this.#reader = reader;
    this.#checks = checks;
    this.#isServed = options.isServed;
    this.#onMetadata = options.onMetadata;
  }

  savedModel(message: ProtobufSpan): void {
    this.#each(message, { 2: (span) => this.metaGraph(span) });
  }

  metaGraph(message: ProtobufSpan): void {
    this.#each(message, {
      1: (span) => this.#each(span, { 5: (text) => this.facts.version = this.#name(text) }),
      2: (span) => this.graph(span),
      4: (span) => this.#each(span, { 2: (value) => this.#collection(value) }),
      6: (span) => this.#asset(span),
      7: (span) => this.#objects(span),
    });
  }

  graph(message: ProtobufSpan): void {
    this.facts.graphs += 1;
    this.#each(message, {
      1: (span) => this.#node(span),
      2: (span) => this.#each(span, { 1: (definition) => this.#function(definition) }),
    });
  }

  /** The metadata of Keras that lies beside a SavedModel: SavedMetadata, with SavedObject as nodes. */
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
    this.#judge(operation, "A node is of the operation", message.start);
    this.#each(message, { 5: (span) => this.#attribute(operation, span) });
  }

  #count(operation: string): void {
    const { operations } = this.facts;
    const name = excerpt(operation);
    if (!operations.has(name) && operations.size >= MAX_OPERATIONS) return;
    operations.set(name, (operations.get(name) ?? 0) + 1);
  }

  #judge(operation: string, told: string, position: number): void {
    const severity = severityOfOperation(operation, this.#isServed);
    if (severity === undefined) return;
    const message = `${told} ${quotedExcerpt(operation)}`;
    const details = { op: excerpt(operation) };
    this.#checks.add(OPERATIONS, {
      severity,
      message,
      position,
      ruleCode: "S1102",
      details,
    });
  }

  /** An entry of the map of attributes. */
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

  /** A function by its name, which may be that of an operation. */
  #called(message: ProtobufSpan): void {
    this.#each(message, {
      1: (span) => this.#judge(this.#name(span), "A node calls the operation", message.start),
      2: (span) => this.#attribute("", span),
    });
  }

  #text(operation: string, attribute: string, span: ProtobufSpan): void {
    const text = this.#name(span);
    if (!writesElsewhere(operation, attribute, text)) return;
    this.#checks.add(OPERATIONS, {
      severity: "critical",
      message: `A node of the operation ${quotedExcerpt(operation)} writes to ${
        quotedExcerpt(text)
      }`,
      position: span.start,
      ruleCode: "S1102",
    });
  }

  /** A collection, whose values of any type may be the files of assets. */
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
    const danger = leadsOut(path);
    if (danger === undefined) return;
    this.#checks.add(ASSET_PATH, {
      severity: "critical",
      message: `An asset is ${danger}: ${quotedExcerpt(path)}`,
      position: span.start,
      ruleCode: "S405",
      why: "A loader that follows it reads files outside of the folder of the model",
    });
  }

  /** The objects of a program, of which those that users define may have metadata of Keras. */
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
    return this.#reader.text(span, LONGEST_NAME);
  }
}
