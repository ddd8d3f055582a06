import { MemberRecords } from "../contract/member_records.ts";
import { isObject } from "../../../schemas/json.ts";
import type { JsonObject } from "../../../schemas/json.ts";
import { plainObject } from "./plain_data.ts";

/** Collects the hashes of members that scanners of containers tell (SR 2.7). */
export class FileMemberHashes {
  readonly #records = new MemberRecords();

  /**
   * Takes the records out of what a container's scanner notes, and returns the other facts.
   *
   * @param outer The names that lead to the container. What it tells begins with its own name; those
   *   of the containers that it is in are put before.
   */
  take(
    noted: Readonly<Record<string, unknown>>,
    outer: readonly string[],
  ): Readonly<Record<string, unknown>> {
    const {
      member_file_hashes: hashes,
      member_file_hashes_total: total,
      member_file_hashes_truncated: _truncated,
      member_file_hashes_omitted: _omitted,
      ...facts
    } = noted;
    const records = isObject(hashes) ? Object.entries(hashes) : [];
    this.#records.addToTotal(typeof total === "number" ? total : records.length);
    for (const [key, record] of records) {
      if (isObject(record)) this.#keep(key, plainObject(record), outer.slice(0, -1));
    }
    return facts;
  }

  /** What the metadata of the file says about its members; nothing where no scanner told of any. */
  get facts(): Readonly<Record<string, unknown>> {
    return this.#records.total === 0 ? {} : this.#records.metadata;
  }

  #keep(key: string, record: JsonObject, before: readonly string[]): void {
    this.#records.add([...before, key].join(":"), { ...record, ...pathsFrom(record, before) });
  }
}

function pathsFrom(
  { logical_path: path, path_segments: segments }: JsonObject,
  before: readonly string[],
): JsonObject {
  return {
    ...(typeof path === "string" && { logical_path: [...before, path].join(":") }),
    ...(Array.isArray(segments) && { path_segments: [...before, ...segments] }),
  };
}
