import { KIB } from "../schemas/units.ts";
import { isTurnOver, takeTurn } from "./event_loop.ts";
import type { RecordList, ResourceRecord } from "./ports.ts";

/** Records in a batch, at most. */
const MAX_BATCH_RECORDS = 350;
/** The length of the paths in a batch. Only the last one may be over it. */
const MAX_BATCH_LENGTH = 64 * KIB;

/** The records of some lists, one list after the other, in batches of bounded size. */
export async function* batchesOf(
  lists: readonly RecordList[],
): AsyncGenerator<readonly ResourceRecord[]> {
  let batch: ResourceRecord[] = [];
  let length = 0;
  for (const list of lists) {
    for await (const records of partsOf(list)) {
      for (const record of records) {
        if (batch.length === MAX_BATCH_RECORDS || length >= MAX_BATCH_LENGTH) {
          if (isTurnOver()) await takeTurn();
          yield batch;
          batch = [];
          length = 0;
        }
        batch.push(record);
        length += record.path.length;
      }
    }
  }
  if (batch.length > 0) yield batch;
}

async function* partsOf(list: RecordList): AsyncGenerator<readonly ResourceRecord[]> {
  if (!("owners" in list)) return yield list;
  for (let position = 0; position < list.length;) {
    const records = await list.from(position);
    yield records;
    position += records.length;
  }
}

/** How many of the records each user has. */
export function ownersOf(lists: readonly RecordList[]): Map<number, number> {
  const owners = new Map<number, number>();
  const add = (userId: number, count: number) =>
    owners.set(userId, (owners.get(userId) ?? 0) + count);
  for (const list of lists) {
    if ("owners" in list) list.owners.forEach((count, userId) => add(userId, count));
    else for (const { userId } of list) add(userId, 1);
  }
  return owners;
}

/** The same list, to be passed to {@link release} on its own. */
export function share(list: RecordList): RecordList {
  return "owners" in list ? list.share() : list;
}

/** Deletes what is kept of a list, unless it is shared. */
export function release(list: RecordList): void {
  if ("owners" in list) list[Symbol.dispose]();
}
