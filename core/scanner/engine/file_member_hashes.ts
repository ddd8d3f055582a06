import { MemberRecords } from "../contract/member_records.ts";
import { isObject, type JsonObject } from "../../../schemas/json.ts";
import { plainObject } from "./plain_data.ts";

/**
 * The hash records of all members of a file, at every depth (SR 2.7). The scanner of each container
 * reports the records of its direct members (`ArchiveMemberHashes`); this class collects them under
 * their full paths.
 */
export class FileMemberHashes {
  readonly #records = new MemberRecords();

  /**
   * Extracts the hash records from the facts that a scanner reports, and returns the other facts.
   *
   * @param outer Names of the containers from the file down to this one. Its records start with its
   *   own name, so only the names of the outer containers are prepended.
   */
  extract(
    reported: Readonly<Record<string, unknown>>,
    outer: readonly string[],
  ): Readonly<Record<string, unknown>> {
    const {
      member_file_hashes: hashes,
      member_file_hashes_total: total,
      member_file_hashes_truncated: _truncated,
      member_file_hashes_omitted: _omitted,
      ...facts
    } = reported;
    const records = isObject(hashes) ? Object.entries(hashes) : [];
    this.#records.addToTotal(typeof total === "number" ? total : records.length);
    for (const [key, record] of records) {
      if (isObject(record)) this.#keep(key, plainObject(record), outer.slice(0, -1));
    }
    return facts;
  }

  /** The records as metadata of the file. Empty if no scanner reported any members. */
  get metadata(): Readonly<Record<string, unknown>> {
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
