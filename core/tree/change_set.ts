import type { MadeVersions } from "../history_changes.ts";
import type { StoredEvents } from "../stored_events.ts";
import type { RecordList, ResourceRecord } from "../ports.ts";
import { batchesOf, ownersOf, release, share } from "../record_lists.ts";

/** A record at or below whose path other records are. */
export type Root = Pick<ResourceRecord, "userId" | "path">;

/** Records that an operation added, updated or deleted (RS 6). */
export interface Change {
  readonly kind: "added" | "updated" | "deleted";
  readonly records: RecordList;
  /** At or below which paths all of the records are, if there may be too many to look at each. */
  readonly roots?: readonly Root[];
  /** Where moved records, and all that is below them, were before. */
  readonly former?: readonly Root[];
}

/** The changes of an operation, in the order of publication (RS 4.4 common 5). */
export type ChangeSet = readonly Change[];

/** A change of one record, as the owner's subscribers receive it (RS 6, C 11). */
export interface ResourceEvent {
  readonly type: `resource.${Change["kind"]}`;
  readonly record: ResourceRecord;
  /** The version of the tree that the change has made, if that is known here (C 26). */
  readonly version?: number | undefined;
}

/** More events are made only as they are read. */
const MAX_EVENTS_AT_ONCE = 1000;
const NO_VERSIONS: MadeVersions = new Map();
/** What an event takes that is in memory besides others that are stored, about, in bytes. */
const EVENT_BYTES = 500;

/** Changes of one kind. */
export function changesOf(
  kind: Change["kind"],
  records: RecordList,
  roots?: readonly Root[],
): Change {
  return { kind, records, ...roots !== undefined && { roots } };
}

/** How many records of each user have changed. */
export function changedOwners(changes: ChangeSet): Map<number, number> {
  return ownersOf(changes.map(({ records }) => records));
}

/** The changed records of some kinds, one kind after the other. Releases all of the changes at its end. */
export async function* changedRecords(
  changes: ChangeSet,
  ...kinds: readonly Change["kind"][]
): AsyncGenerator<readonly ResourceRecord[]> {
  try {
    yield* batchesOf(
      kinds.flatMap((kind) =>
        changes.filter((change) => change.kind === kind).map(({ records }) => records)
      ),
    );
  } finally {
    for (const { records } of changes) release(records);
  }
}

/** The events of changes. They last as long as the changes. */
export function eventsOf(
  changes: ChangeSet,
  versions: MadeVersions = NO_VERSIONS,
): readonly ResourceEvent[] | StoredEvents<ResourceEvent> {
  const isStored = changes.some(({ records }) => "owners" in records);
  const total = changes.reduce((sum, { records }) => sum + records.length, 0);
  if (isStored || total > MAX_EVENTS_AT_ONCE) return new ChangeEvents(changes, versions);
  return changes.flatMap(({ kind, records }) =>
    "owners" in records ? [] : toEvents(kind, records, versions)
  );
}

function toEvents(
  kind: Change["kind"],
  records: readonly ResourceRecord[],
  versions: MadeVersions,
): ResourceEvent[] {
  const type = `resource.${kind}` as const;
  return records.map((record) => ({ type, record, version: versions.get(record.userId) }));
}

/** The events of a change set that is not all in memory. */
class ChangeEvents implements StoredEvents<ResourceEvent> {
  readonly #changes: ChangeSet;
  readonly #versions: MadeVersions;
  readonly length: number;
  readonly bytes: number;
  readonly owners: ReadonlyMap<number, number>;

  constructor(changes: ChangeSet, versions: MadeVersions) {
    this.#changes = changes;
    this.#versions = versions;
    this.length = changes.reduce((sum, { records }) => sum + records.length, 0);
    this.bytes = changes.reduce(
      (sum, { records }) =>
        sum + ("owners" in records ? records.bytes : EVENT_BYTES * records.length),
      0,
    );
    this.owners = changedOwners(changes);
  }

  async from(position: number): Promise<readonly ResourceEvent[]> {
    let start = 0;
    for (const { kind, records } of this.#changes) {
      const at = position - start;
      if (at < records.length) {
        return toEvents(
          kind,
          "owners" in records ? await records.from(at) : records.slice(at, at + MAX_EVENTS_AT_ONCE),
          this.#versions,
        );
      }
      start += records.length;
    }
    return [];
  }

  ownedBy(userId: number): StoredEvents<ResourceEvent> {
    return this.#with((records) =>
      "owners" in records
        ? records.ownedBy(userId)
        : records.filter((record) => record.userId === userId)
    );
  }

  share(): StoredEvents<ResourceEvent> {
    return this.#with(share);
  }

  [Symbol.dispose](): void {
    for (const { records } of this.#changes) release(records);
  }

  #with(part: (records: RecordList) => RecordList): ChangeEvents {
    return new ChangeEvents(
      this.#changes.map(({ kind, records }) => ({ kind, records: part(records) })),
      this.#versions,
    );
  }
}
