import { Buffer } from "node:buffer";
import type { TensorStore } from "../../core/compare/ports.ts";
import type { TensorList } from "../../core/scanner/mod.ts";
import type { NamedContent } from "../../core/verdicts.ts";
import { commit, type Statements, textOrNull, withoutNul } from "./dialect.ts";
import type { TensorStatement } from "./tensor_statements.ts";

/** Keeps lists of tensors in the database of the records. */
export class SqlTensorStore implements TensorStore {
  readonly #statements: Statements<TensorStatement>;

  constructor(statements: Statements<TensorStatement>) {
    this.#statements = statements;
  }

  async find({ userId: user, hash, name }: NamedContent): Promise<TensorList | undefined> {
    const [row] = await this.#statements.read("find", { user, hash, name });
    if (row === undefined) return undefined;
    return {
      format: String(row.format),
      sha256: String(row.read_sha256),
      lines: String(row.lines),
      problem: textOrNull(row.problem) ?? undefined,
    };
  }

  async keep(content: NamedContent, list: TensorList): Promise<void> {
    const { userId: user, hash, name } = content;
    const { format, sha256, lines, problem } = list;
    await commit(this.#statements, "keep", {
      ...{ user, hash, name, format, lines },
      sha256: Buffer.from(sha256, "hex"),
      problem: problem === undefined ? null : withoutNul(problem),
    });
  }
}
