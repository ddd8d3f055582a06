import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type {
  ProtobufField,
  ProtobufReader,
  ProtobufSpan,
} from "../../readers/protobuf/protobuf_reader.ts";
import { SecretSearch } from "../../knowledge/secrets/secret_search.ts";
import { MIB } from "../../../../schemas/units.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { byteSizeOf, dataTypeName, readTensor } from "./tensor.ts";
import { CompiledContext } from "./compiled_context.ts";
import { checkTensor } from "./tensor_checks.ts";

export const PYTHON_OPERATOR = "ONNX Python Operator";

export const CREDENTIAL = "Credential";

const MAX_NAME_BYTES = 1024;
/** Bytes of a text that are searched for credentials. */
const MAX_TEXT_BYTES = MIB;
/** Operator domains that are collected. */
const MAX_DOMAINS = 100;
/** Operators that call Python, including PyOp and PyCustomOp of onnxruntime-extensions. */
const PYTHON_NAME = /python|^py(?:op|customop)$/i;

/** What a {@link ModelWalk} collects. */
export interface ModelFacts {
  irVersion: bigint;
  producerName: string;
  graphs: number;
  nodes: number;
  parameters: bigint;
  /** The weights, by element type. */
  readonly weights: ElementCounts;
  /** Bytes of weights, by element type. */
  readonly weightBytes: Map<string, bigint>;
  /** Operator domains that nodes use. */
  readonly domains: Set<string>;
  /** Operator domains for which the model itself defines functions. */
  readonly functionDomains: Set<string>;
}

/**
 * Walks a ModelProto through everything that can contain a node or a tensor: the graph, attribute
 * graphs, functions, training steps, sparse and dense initializers, and constants.
 */
export class ModelWalk {
  readonly facts: ModelFacts = {
    irVersion: 0n,
    producerName: "",
    graphs: 0,
    nodes: 0,
    parameters: 0n,
    weights: new ElementCounts(),
    weightBytes: new Map(),
    domains: new Set(),
    functionDomains: new Set(),
  };
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;
  readonly #texts: SecretSearch;

  constructor(reader: ProtobufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
    this.#texts = new SecretSearch("A text of the model", (it) => checks.add(CREDENTIAL, it));
  }

  run(): void {
    for (const field of this.#reader.fields(this.#reader.root)) {
      if (field.kind === "varint" && field.number === 1) this.facts.irVersion = field.value;
      if (field.kind !== "bytes") continue;
      switch (field.number) {
        case 2:
          this.facts.producerName = this.#name(field.span);
          break;
        case 6:
          this.#text(field.span);
          break;
        case 7:
          this.#graph(field.span);
          break;
        case 14:
          this.#property(field.span);
          break;
        case 20:
          this.#each(field.span, {
            1: (span) => this.#graph(span),
            2: (span) => this.#graph(span),
          });
          break;
        case 25:
          this.#function(field.span);
          break;
      }
    }
    this.#texts.finish();
  }

  #text(span: ProtobufSpan, name?: string): void {
    this.#texts.add(this.#reader.text(span, MAX_TEXT_BYTES), span.start, name);
  }

  /** An entry of the metadata. */
  #property(message: ProtobufSpan): void {
    let name = "";
    this.#each(message, {
      1: (span) => name = this.#name(span),
      2: (span) => this.#text(span, name),
    });
  }

  #graph(message: ProtobufSpan): void {
    this.facts.graphs += 1;
    this.#each(message, {
      1: (span) => this.#node(span),
      5: (span) => this.#tensor(span, true),
      10: (span) => this.#text(span),
      15: (span) => this.#sparseTensor(span),
    });
  }

  #function(message: ProtobufSpan): void {
    this.#each(message, {
      7: (span) => this.#node(span),
      10: (span) => this.#keep(this.facts.functionDomains, this.#name(span)),
      11: (span) => this.#attribute(span),
    });
  }

  #node(message: ProtobufSpan): void {
    this.facts.nodes += 1;
    let operator = "";
    let domain = "";
    const compiled = new CompiledContext(this.#reader);
    this.#each(message, {
      4: (span) => operator = this.#name(span),
      5: (span) => {
        this.#attribute(span);
        compiled.take(span);
      },
      6: (span) => this.#text(span),
      7: (span) => domain = this.#name(span),
    });
    this.#keep(this.facts.domains, domain);
    this.#checks.addAll(compiled.findings(operator, message.start));
    if (!PYTHON_NAME.test(operator)) return;
    this.#checks.add(PYTHON_OPERATOR, {
      severity: "critical",
      message: `A node calls Python: ${quotedExcerpt(operator)}`,
      position: message.start,
      ruleCode: "S1104",
      details: { op_type: excerpt(operator), domain: excerpt(domain) },
    });
  }

  #attribute(message: ProtobufSpan): void {
    const tensor = (span: ProtobufSpan) => this.#tensor(span, false);
    const graph = (span: ProtobufSpan) => this.#graph(span);
    const sparse = (span: ProtobufSpan) => this.#sparseTensor(span);
    const text = (span: ProtobufSpan) => this.#text(span);
    this.#each(message, {
      4: text,
      5: tensor,
      6: graph,
      9: text,
      10: tensor,
      11: graph,
      13: text,
      22: sparse,
      23: sparse,
    });
  }

  #sparseTensor(message: ProtobufSpan): void {
    const weights = (span: ProtobufSpan) => this.#tensor(span, true);
    this.#each(message, { 1: weights, 2: (span) => this.#tensor(span, false) });
  }

  #tensor(message: ProtobufSpan, isWeight: boolean): void {
    const tensor = readTensor(this.#reader, message);
    this.#checks.addAll(checkTensor(tensor, message.start));
    if (!isWeight || tensor.elements === undefined) return;
    this.facts.parameters += tensor.elements;
    const type = dataTypeName(tensor.dataType);
    const bytes = byteSizeOf(tensor);
    this.facts.weights.add(type ?? `type ${tensor.dataType}`, tensor.elements, bytes);
    if (type === undefined) return;
    const { weightBytes } = this.facts;
    weightBytes.set(type, (weightBytes.get(type) ?? 0n) + (bytes ?? 0n));
  }

  #each(
    message: ProtobufSpan,
    actions: Readonly<Record<ProtobufField["number"], (span: ProtobufSpan) => void>>,
  ): void {
    for (const field of this.#reader.fields(message)) {
      if (field.kind === "bytes") actions[field.number]?.(field.span);
    }
  }

  #name(span: ProtobufSpan): string {
    return this.#reader.text(span, MAX_NAME_BYTES);
  }

  #keep(names: Set<string>, name: string): void {
    if (names.size < MAX_DOMAINS) names.add(name);
  }
}
