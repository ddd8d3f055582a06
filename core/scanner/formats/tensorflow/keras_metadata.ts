import { Checklist } from "../../contract/checklist.ts";
import { KERAS_CONFIGURATION, KERAS_PASSED } from "../keras/checks.ts";
import { type ConfigFacts, inspectConfig } from "../keras/config.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import type { Check, ScanContext } from "../../contract/scanner.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Bytes that are read of the metadata of one object, and of all objects of a file. */
const MAX_BYTES = 16 * MIB;
const MAX_BYTES_OF_FILE = 256 * MIB;

/** Checks the metadata of objects of Keras in a SavedModel: a configuration each, as JSON. */
export class KerasMetadata {
  readonly #checks = new Checklist(KERAS_PASSED);
  readonly #reader: ProtobufReader;
  readonly #context: ScanContext;
  #bytesLeft = MAX_BYTES_OF_FILE;
  #first: ConfigFacts | undefined;
  #objects = 0;

  constructor(reader: ProtobufReader, context: ScanContext) {
    this.#reader = reader;
    this.#context = context;
  }

  /** How many objects have been inspected. */
  get objects(): number {
    return this.#objects;
  }

  /** What the first object that has a class says: that of the whole model. */
  get model(): ConfigFacts | undefined {
    return this.#first;
  }

  inspect(json: ProtobufSpan): void {
    const size = json.end - json.start;
    if (size === 0) return;
    this.#objects += 1;
    this.#bytesLeft -= Math.min(size, MAX_BYTES);
    if (size > MAX_BYTES || this.#bytesLeft < 0) this.#passOver(json);
    if (this.#bytesLeft < 0) return;
    const text = this.#reader.text(json, MAX_BYTES);
    const facts = inspectConfig(text, { kind: "saved_model" }, this.#checks, this.#context);
    if (facts?.modelClass !== undefined) this.#first ??= facts;
  }

  checks(): Generator<Check, void, void> {
    return this.#checks.finish();
  }

  #passOver({ start }: ProtobufSpan): void {
    this.#checks.add(KERAS_CONFIGURATION, {
      severity: "info",
      message: "The metadata of Keras is longer than what is read of it",
      position: start,
      ruleCode: "S904",
      incomplete: "json_size_limit",
      operational: true,
    });
  }
}
