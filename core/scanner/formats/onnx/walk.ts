import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type {
  ProtobufField,
  ProtobufReader,
  ProtobufSpan,
} from "../../readers/protobuf/protobuf_reader.ts";
import { bytesOf, dataTypeName, readTensor } from "./tensor.ts";
import { checkTensor } from "./tensor_checks.ts";

export const PYTHON_OPERATOR = "ONNX Python Operator";

/** Texts of names are read no further. */
const LONGEST_NAME = 1024;
/** Domains of operators that are kept by name. */
const MAX_DOMAINS = 100;
/** The operators of Python that go by a name without it: those of onnxruntime-extensions. */
const PYTHON = /python|^py(?:op|customop)$/i;

/** What a walk through a model counts and gathers. */
export interface ModelFacts {
  irVersion: bigint;
  producerName: string;
  producerVersion: string;
  graphs: number;
  nodes: number;
  parameters: bigint;
  /** Bytes of weights by the type of their elements. */
  readonly weightBytes: Map<string, bigint>;
  /** Domains that nodes name, and those of which the model brings the functions itself. */
  readonly domains: Set<string>;
  readonly functionDomains: Set<string>;
}

/**
 * Walks through a ModelProto with all that can hold a node or a tensor: the graph, the graphs of
 * attributes, functions, the steps of training, sparse and dense initializers, constants.
 */
export class ModelWalk {
  readonly facts: ModelFacts = {
    irVersion: 0n,
    producerName: "",
    producerVersion: "",
    graphs: 0,
    nodes: 0,
    parameters: 0n,
    weightBytes: new Map(),
    domains: new Set(),
    functionDomains: new Set(),
  };
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;

  constructor(reader: ProtobufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
  }

  model(): void {
    for (const field of this.#reader.fields(this.#reader.root)) {
      if (field.kind === "varint" && field.number === 1) this.facts.irVersion = field.value;
      if (field.kind !== "bytes") continue;
      switch (field.number) {
        case 2:
          this.facts.producerName = this.#name(field.span);
          break;
        case 3:
          this.facts.producerVersion = this.#name(field.span);
          break;
        case 7:
          this.#graph(field.span);
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
  }

  #graph(message: ProtobufSpan): void {
    this.facts.graphs += 1;
    this.#each(message, {
      1: (span) => this.#node(span),
      5: (span) => this.#tensor(span, true),
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
    this.#each(message, {
      4: (span) => operator = this.#name(span),
      5: (span) => this.#attribute(span),
      7: (span) => domain = this.#name(span),
    });
    this.#keep(this.facts.domains, domain);
    if (!PYTHON.test(operator)) return;
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
    this.#each(message, { 5: tensor, 6: graph, 10: tensor, 11: graph, 22: sparse, 23: sparse });
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
    if (type === undefined) return;
    const { weightBytes } = this.facts;
    weightBytes.set(type, (weightBytes.get(type) ?? 0n) + (bytesOf(tensor) ?? 0n));
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
    return this.#reader.text(span, LONGEST_NAME);
  }

  #keep(names: Set<string>, name: string): void {
    if (names.size < MAX_DOMAINS) names.add(name);
  }
}
