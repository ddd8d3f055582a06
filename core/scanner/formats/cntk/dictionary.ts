import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ByteSource } from "../../contract/source.ts";
import { judgeImport } from "../../knowledge/python/judge_import.ts";
import { ProtobufReader, type ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";

export const FUNCTIONS = "CNTK User Functions";

/** Fields read to recognize a model. */
const MAX_FIELDS = 64;
const MAX_TEXT_BYTES = 1024;
/** Keys of the dictionary of a model. */
const MODEL_KEYS = /^(?:primitive_functions|root|inputs|learner_state|internal_worker_state)$/;

/** Whether content is a dictionary of CNTK 2 with a model or a checkpoint. */
export function isDictionary(source: ByteSource): boolean {
  const [tag, version = 0, next] = source.read(0, 3);
  if (tag !== 0x08 || version === 0 || version > 100 || next !== 0x12) return false;
  const reader = new ProtobufReader(source, MAX_FIELDS);
  let found = 0;
  for (const field of reader.fields(reader.root)) {
    if (field.number === 1) continue;
    if (field.number !== 2 || field.kind !== "bytes") return false;
    if (MODEL_KEYS.test(keyOf(reader, field.span))) found++;
  }
  return found > 0;
}

/** Checks all dictionaries in a model. @returns how many functions it has. */
export function checkDictionary(reader: ProtobufReader, checks: Checklist): number {
  const walk = new DictionaryWalk(reader, checks);
  walk.dictionary(reader.root);
  return walk.functions;
}

function keyOf(reader: ProtobufReader, entry: ProtobufSpan): string {
  for (const field of reader.fields(entry)) {
    if (field.number === 1 && field.kind === "bytes") {
      return reader.text(field.span, MAX_TEXT_BYTES);
    }
  }
  return "";
}

class DictionaryWalk {
  functions = 0;
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;

  constructor(reader: ProtobufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
  }

  /** Walks a Dictionary. */
  dictionary(message: ProtobufSpan): void {
    const texts = new Map<string, string>();
    this.#each(message, 2, (entry) => {
      const key = keyOf(this.#reader, entry);
      this.#each(entry, 2, (value) => this.#value(key, value, texts));
    });
    if (texts.get("type")?.endsWith("Function")) this.functions++;
    this.#checkFunction(texts, message.start);
  }

  /** Walks a DictionaryValue. */
  #value(key: string, message: ProtobufSpan, texts: Map<string, string>): void {
    for (const field of this.#reader.fields(message)) {
      if (field.kind !== "bytes") continue;
      const { number, span } = field;
      if (number === 8) texts.set(key, this.#reader.text(span, MAX_TEXT_BYTES));
      if (number === 11) this.#each(span, 1, (value) => this.#value(key, value, texts));
      if (number === 12) this.dictionary(span);
    }
  }

  /** CNTK runs `from MODULE import CLASS` with the texts of the model, or loads a library. */
  #checkFunction(texts: ReadonlyMap<string, string>, position: number): void {
    const module = texts.get("module");
    const name = texts.get("class");
    if (module === undefined) return;
    const isLibrary = name === undefined;
    const verdict = isLibrary ? LIBRARY : judgeImport(module, name);
    this.#checks.add(FUNCTIONS, {
      severity: verdict.severity,
      ruleCode: verdict.ruleCode,
      message: isLibrary
        ? `A function is in the library ${quotedExcerpt(module)}, which loading the model loads`
        : `A function is the class ${quotedExcerpt(name)} of the module ${quotedExcerpt(module)}`,
      why: verdict.why,
      position,
      details: { module: excerpt(module), ...name !== undefined && { class: excerpt(name) } },
    });
  }

  #each(message: ProtobufSpan, number: number, visit: (span: ProtobufSpan) => void): void {
    for (const field of this.#reader.fields(message)) {
      if (field.kind === "bytes" && field.number === number) visit(field.span);
    }
  }
}

const LIBRARY = {
  severity: "critical",
  ruleCode: "S110",
  why: "Loading the model runs the machine code of a library that the model names",
} as const;
