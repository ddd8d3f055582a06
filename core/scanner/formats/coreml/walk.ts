import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import { checkModelText } from "../model/text.ts";
import { KINDS } from "./detect.ts";

export const CUSTOM_CODE = "Core ML Custom Code";
export const EXTERNAL_FILE = "Core ML External File";
export const TEXT = "Core ML Text";

const MAX_NAME_BYTES = 1024;
const MAX_TEXT_BYTES = 64 * 1024;
/** Texts that are checked. */
const MAX_TEXTS = 1000;
/** Weights of an ML program, below the folder of the package. */
const PACKAGE_FOLDER = "@model_path/";

type Visits = Readonly<Record<number, (span: ProtobufSpan) => void>>;

/** What a {@link ModelWalk} collects. */
export interface CoreMlFacts {
  version: number;
  readonly kinds: Set<string>;
  layers: number;
}

/** Walks the messages of a Core ML model, with those of pipelines, networks and programs in it. */
export class ModelWalk {
  readonly facts: CoreMlFacts = { version: 0, kinds: new Set(), layers: 0 };
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;
  #texts = 0;

  constructor(reader: ProtobufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
  }

  /** Walks a Model. */
  model(message: ProtobufSpan): void {
    for (const field of this.#reader.fields(message)) {
      if (field.number === 1 && field.kind === "varint") {
        this.facts.version ||= Number(field.value);
      }
      if (field.kind !== "bytes") continue;
      const kind = KINDS.get(field.number);
      if (kind !== undefined) this.facts.kinds.add(kind);
      this.#part(field.number, field.span);
    }
  }

  #part(number: number, span: ProtobufSpan): void {
    const pipeline = (it: ProtobufSpan) => this.#each(it, { 1: (model) => this.model(model) });
    switch (number) {
      case 2:
        return this.#description(span);
      case 200:
      case 201:
        return this.#each(span, { 1: pipeline });
      case 202:
        return pipeline(span);
      case 303:
      case 403:
      case 500:
        return this.#network(span);
      case 502:
        return this.#program(span);
      case 555:
        return this.#custom("The model", span);
      case 556:
        return this.#linked(span);
    }
  }

  #description(message: ProtobufSpan): void {
    const text = (label: string) => (span: ProtobufSpan) => this.#text(label, span);
    this.#each(message, {
      100: (metadata) =>
        this.#each(metadata, {
          1: text("The description"),
          2: text("The version"),
          3: text("The author"),
          4: text("The license"),
          100: (entry) => this.#each(entry, { 1: text("A key"), 2: text("A value") }),
        }),
    });
  }

  #network(message: ProtobufSpan): void {
    const network = (span: ProtobufSpan) => this.#network(span);
    this.#each(message, {
      1: (layer) => {
        this.facts.layers++;
        this.#each(layer, {
          500: (span) => this.#custom("A layer", span),
          605: (branch) => this.#each(branch, { 1: network, 2: network }),
          615: (loop) => this.#each(loop, { 3: network, 4: network }),
        });
      },
    });
  }

  #program(message: ProtobufSpan): void {
    const block = (entry: ProtobufSpan) => this.#each(entry, { 2: (it) => this.#block(it) });
    this.#each(message, {
      2: (entry) => this.#each(entry, { 2: (it) => this.#each(it, { 3: block }) }),
      3: (span) => this.#text("The description of the program", span),
    });
  }

  #block(message: ProtobufSpan): void {
    this.#each(message, {
      3: (operation) => {
        this.facts.layers++;
        const values = (entry: ProtobufSpan) => this.#each(entry, { 2: (it) => this.#value(it) });
        const bindings = (entry: ProtobufSpan) =>
          this.#each(entry, { 2: (it) => this.#each(it, { 1: values }) });
        this.#each(operation, { 2: bindings, 4: (it) => this.#block(it), 5: values });
      },
    });
  }

  #value(message: ProtobufSpan): void {
    this.#each(message, {
      5: (blob) => this.#each(blob, { 1: (span) => this.#blobFile(span) }),
    });
  }

  #blobFile(span: ProtobufSpan): void {
    const path = this.#name(span);
    const inPackage = path.startsWith(PACKAGE_FOLDER) ? path.slice(PACKAGE_FOLDER.length) : path;
    this.#checkPath("Weights", inPackage, span.start);
  }

  /** A CustomModel, or the parameters of a custom layer. */
  #custom(label: string, message: ProtobufSpan): void {
    let name = "";
    this.#each(message, {
      10: (span) => name = this.#name(span),
      40: (span) => this.#text("The description of custom code", span),
    });
    this.#checks.add(CUSTOM_CODE, {
      severity: "warning",
      message: `${label} runs the class ${quotedExcerpt(name)} of the program that loads it`,
      position: message.start,
      ruleCode: "S810",
      why: "The class is not in the model, so what it does cannot be checked",
      details: { class: excerpt(name) },
    });
  }

  #linked(message: ProtobufSpan): void {
    const parameter = (label: string) => (it: ProtobufSpan) =>
      this.#each(it, { 1: (span) => this.#checkPath(label, this.#name(span), span.start) });
    this.#checks.add(EXTERNAL_FILE, {
      severity: "warning",
      message: "The model is a link to another model",
      position: message.start,
      ruleCode: "S810",
      why: "The other model is loaded in its place, and is not checked with this one",
    });
    this.#each(message, {
      1: (file) =>
        this.#each(file, { 1: parameter("The linked model"), 2: parameter("A search path") }),
    });
  }

  #checkPath(label: string, path: string, position: number): void {
    const danger = pathEscape(path);
    if (danger === undefined) return;
    this.#checks.add(EXTERNAL_FILE, {
      severity: "critical",
      message: `${label}: ${danger} ${quotedExcerpt(path)}`,
      position,
      ruleCode: "S405",
      why: "A loader that follows the path reads files outside the model's folder",
    });
  }

  #text(label: string, span: ProtobufSpan): void {
    if (this.#texts++ >= MAX_TEXTS) return;
    const text = this.#reader.text(span, MAX_TEXT_BYTES);
    checkModelText(TEXT, label, text, this.#checks, span.start);
  }

  #name(span: ProtobufSpan): string {
    return this.#reader.text(span, MAX_NAME_BYTES);
  }

  #each(message: ProtobufSpan, visits: Visits): void {
    for (const field of this.#reader.fields(message)) {
      if (field.kind === "bytes") visits[field.number]?.(field.span);
    }
  }
}
