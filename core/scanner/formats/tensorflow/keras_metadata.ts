import { Checklist } from "../../contract/checklist.ts";
import { KERAS_CONFIGURATION, KERAS_PASSED } from "../keras/checks.ts";
import { type ConfigFacts, inspectConfig } from "../keras/config.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import type { Check, ScanContext } from "../../contract/scanner.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Bytes read of the metadata of one object. */
const MAX_OBJECT_BYTES = 16 * MIB;
/** Bytes read of the metadata of all objects together. */
const MAX_TOTAL_BYTES = 256 * MIB;

/** Checks the metadata of Keras objects in a SavedModel. Each is a Keras configuration in JSON. */
export class KerasMetadata {
  readonly #checks = new Checklist(KERAS_PASSED);
  readonly #reader: ProtobufReader;
  readonly #context: ScanContext;
  #bytesLeft = MAX_TOTAL_BYTES;
  #first: ConfigFacts | undefined;
  #objects = 0;

  constructor(reader: ProtobufReader, context: ScanContext) {
    this.#reader = reader;
    this.#context = context;
  }

  /** Objects inspected so far. */
  get objects(): number {
    return this.#objects;
  }

  /** The facts of the first object that has a class, which is the whole model. */
  get model(): ConfigFacts | undefined {
    return this.#first;
  }

  /** Checks the metadata of one object. */
  inspect(json: ProtobufSpan): void {
    const size = json.end - json.start;
    if (size === 0) return;
    this.#objects += 1;
    this.#bytesLeft -= Math.min(size, MAX_OBJECT_BYTES);
    if (size > MAX_OBJECT_BYTES || this.#bytesLeft < 0) this.#addSizeLimit(json);
    if (this.#bytesLeft < 0) return;
    const text = this.#reader.text(json, MAX_OBJECT_BYTES);
    const facts = inspectConfig(text, { kind: "saved_model" }, this.#checks, this.#context);
    if (facts?.modelClass !== undefined) this.#first ??= facts;
  }

  /** Finishes the checks of all inspected objects. */
  finish(): Generator<Check, void, void> {
    return this.#checks.finish();
  }

  #addSizeLimit({ start }: ProtobufSpan): void {
    this.#checks.add(KERAS_CONFIGURATION, {
      severity: "info",
      message: "The Keras metadata is too large to check completely",
      position: start,
      ruleCode: "S904",
      incomplete: "json_size_limit",
      operational: true,
    });
  }
}
