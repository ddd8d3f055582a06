import type { ListQuery, LocatedRecord, ResourceRecord, Scope } from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { Remote } from "../threads/rpc.ts";
import type { LargeChanges } from "./large_changes.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";

interface ShortReadParts {
  readonly points: PointReader;
  /** Reads what the serving thread leaves out, on another one. */
  readonly lookups: Remote<Reader>;
  readonly largeChanges: LargeChanges;
}

/** Reads a few records: on the serving thread, unless that might take long, or a large change covers them. */
export class ShortReads {
  readonly #parts: ShortReadParts;

  constructor(parts: ShortReadParts) {
    this.#parts = parts;
  }

  async findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>> {
    return this.#points(scope)?.findByPath(scope, paths) ??
      await this.#parts.lookups.findByPath(scope, paths);
  }

  /** {@link LocatedLookup.findLocated} */
  findLocated(scope: Scope, path: string): Promise<LocatedRecord | undefined> {
    return Promise.resolve(this.#points(scope)?.findLocated(scope, path));
  }

  async findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>> {
    return this.#points(scope)?.findById(scope, ids) ??
      await this.#parts.lookups.findById(scope, ids);
  }

  async usage(scope: Scope): Promise<Usage> {
    return this.#points(scope)?.usage(scope) ?? await this.#parts.lookups.usage(scope);
  }

  /** A whole listing; undefined if it is not short. */
  list(query: ListQuery): ResourceRecord[] | undefined {
    return this.#points(query.scope)?.shortList(query);
  }

  #points(scope: Scope): PointReader | undefined {
    const { largeChanges, points } = this.#parts;
    return largeChanges.covers(scope) ? undefined : points;
  }
}
