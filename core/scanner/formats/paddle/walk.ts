import type { Checklist } from "../../contract/checklist.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import { checkAttribute, checkOperator } from "./operators.ts";

const MAX_TEXT_BYTES = 1024;

/** Checks the operators in all blocks of a ProgramDesc. @returns how many there are. */
export function checkProgram(reader: ProtobufReader, checks: Checklist): number {
  const walk = new ProgramWalk(reader, checks);
  walk.run();
  return walk.operators;
}

class ProgramWalk {
  operators = 0;
  readonly #reader: ProtobufReader;
  readonly #checks: Checklist;

  constructor(reader: ProtobufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
  }

  run(): void {
    this.#each(this.#reader.root, 1, (block) => {
      this.#each(block, 4, (operator) => this.#operator(operator));
    });
  }

  #operator(message: ProtobufSpan): void {
    this.operators++;
    this.#each(message, 3, (type) => {
      checkOperator(this.#text(type), message.start, this.#checks);
    });
    this.#each(message, 4, (attribute) => {
      let name = "";
      this.#each(attribute, 1, (span) => name = this.#text(span));
      const check = (span: ProtobufSpan) =>
        checkAttribute(name, this.#text(span), span.start, this.#checks);
      this.#each(attribute, 5, check);
      this.#each(attribute, 8, check);
    });
  }

  #text(span: ProtobufSpan): string {
    return this.#reader.text(span, MAX_TEXT_BYTES);
  }

  #each(message: ProtobufSpan, number: number, visit: (span: ProtobufSpan) => void): void {
    for (const field of this.#reader.fields(message)) {
      if (field.kind === "bytes" && field.number === number) visit(field.span);
    }
  }
}
