import { isCollected, isObjectLocked, publishing } from "./locks.ts";
import type { Rules } from "./rules.ts";
import {
  Doing,
  IDLE,
  Publication,
  Row,
  Sent,
  type Server,
  type Take,
  type World,
} from "./state.ts";

/** The steps of one server that remove content and objects. */
export function collectionSteps(world: World, rules: Rules, id: number, take: Take): void {
  const server = world.servers[id]!;
  switch (server.doing) {
    case Doing.Nothing:
      beginCollections(world, rules, id, take);
      beginDeletions(world, id, take);
      break;
    case Doing.Collecting:
      lock(world, rules, id, server, take);
      break;
    case Doing.Locked:
      check(world, rules, id, server, take);
      break;
    case Doing.Keeping:
      take("commits", true, (next) => finish(next, rules, id, server.content));
      break;
    case Doing.Removing:
    case Doing.DeadRemoving:
      remove(world, rules, id, server, take);
      break;
    case Doing.DeadLocked:
      take("is rolled back", true, (next) => giveBack(next, rules, id));
      break;
    case Doing.DeleteSent:
    case Doing.DeleteDone:
      deletion(world, rules, id, server, take);
      break;
  }
}

function beginCollections(world: World, { without }: Rules, id: number, take: Take): void {
  world.contents.forEach(({ dropped, records }, content) => {
    if (!dropped) return;
    take("begins to collect", true, (next) => {
      if (!without.has("droppedByRow")) next.contents[content]!.dropped = false;
      next.servers[id] = { ...IDLE, doing: Doing.Collecting, content, noted: records === 0 };
    });
  });
}

/** Locks the row of the content, or leaves it to a later collection. */
function lock(world: World, rules: Rules, id: number, { content }: Server, take: Take): void {
  const { object } = world.contents[content]!;
  const sharers = publishing(world, content).filter((it) =>
    !rules.without.has("contentLocked") || it.publication !== Publication.Share
  );
  if (object === -1) {
    take("finds no row", true, (next) => next.servers[id]!.doing = Doing.Keeping);
  } else if (sharers.length > 0 || isCollected(world, content)) {
    take("skips the locked row", true, (next) => giveBack(next, rules, id, true));
  } else {
    take("locks the row", true, (next) => next.servers[id]!.doing = Doing.Locked);
  }
}

/** Looks for records. */
function check(world: World, rules: Rules, id: number, server: Server, take: Take): void {
  const { content, noted } = server;
  const isFree = rules.without.has("checkedUnderLock")
    ? noted
    : world.contents[content]!.records === 0;
  if (isFree) take("removes the row", true, (next) => next.servers[id]!.doing = Doing.Removing);
  else take("finds a record", true, (next) => next.servers[id]!.doing = Doing.Keeping);
}

/** The removal commits or not. */
function remove(world: World, rules: Rules, id: number, server: Server, take: Take): void {
  const { records, object } = world.contents[server.content]!;
  if (records === 0 || rules.without.has("foreignKey")) {
    take("commits the removal", true, (next) => {
      next.contents[server.content]!.object = -1;
      next.objects[object]!.row = Row.Leaving;
      finish(next, rules, id, server.content);
    });
  }
  take("rolls the removal back", records > 0 || server.doing === Doing.DeadRemoving, (next) => {
    giveBack(next, rules, id);
  });
}

/** The transaction has removed its rows of `dropped`. */
function finish(next: World, { without }: Rules, id: number, content: number): void {
  if (without.has("droppedByRow")) next.contents[content]!.dropped = false;
  next.servers[id] = { ...IDLE };
}

/** The transaction has left its rows of `dropped`. What is in memory dies with the server. */
function giveBack(next: World, { embedded, without }: Rules, id: number, skipped = false): void {
  const { doing, content } = next.servers[id]!;
  const inMemory = embedded || without.has("droppedQueue");
  const isDead = doing === Doing.DeadLocked || doing === Doing.DeadRemoving;
  if (!inMemory || !isDead && !skipped) next.contents[content]!.dropped = true;
  next.servers[id] = { ...IDLE };
}

function beginDeletions(world: World, id: number, take: Take): void {
  world.objects.forEach(({ row, sent }, object) => {
    const mayArrive = (sent & (Sent.Put | Sent.Create | Sent.Complete)) !== 0;
    const second = row === Row.Deleted && !mayArrive;
    if (row !== Row.Leaving && !second) return;
    take(`deletes o${object} ${second ? "for the second time" : ""}`, true, (next) => {
      next.objects[object]!.sent |= Sent.Delete;
      next.servers[id] = { ...IDLE, doing: Doing.DeleteSent, object, noted: second };
    });
  });
}

/** The deletion is carried out, and then its row changed. */
function deletion(world: World, rules: Rules, id: number, server: Server, take: Take): void {
  const { doing, object, noted } = server;
  if (doing === Doing.DeleteSent) {
    take("gives the deletion up", true, (next) => next.servers[id] = { ...IDLE });
    if ((world.objects[object]!.sent & Sent.Delete) === 0) return;
    return take("learns that the object is deleted", true, (next) => {
      deleteObject(next, rules, object);
      next.servers[id]!.doing = Doing.DeleteDone;
    });
  }
  take("notes the deletion", true, (next) => {
    const deleted = next.objects[object]!;
    if (noted && deleted.row === Row.Deleted) deleted.row = Row.None;
    if (!noted && deleted.row === Row.Leaving) {
      deleted.row = rules.without.has("secondDeletion") ? Row.None : Row.Deleted;
    }
    next.servers[id] = { ...IDLE };
  });
}

/** What a deletion does in the store. */
export function deleteObject(next: World, { without }: Rules, object: number): void {
  const deleted = next.objects[object]!;
  deleted.complete = false;
  if (!without.has("multipartAborted")) deleted.unfinished = false;
}

/** What any server does with the rows of objects, in one transaction each. */
export function expirySteps(world: World, { without }: Rules, take: Take): void {
  world.objects.forEach(({ row, waiting }, object) => {
    if (isObjectLocked(world, object)) return;
    const isExempt = waiting !== -1 && !without.has("waitingExempt");
    if (row === Row.Expired && !isExempt && !without.has("leasesExpire")) {
      take(`o${object}, without a lease, is made leaving`, true, (next) => {
        next.objects[object]!.row = Row.Leaving;
      });
    }
    if (waiting === -1) return;
    take(`the content that waits in o${object} expires`, true, (next) => {
      Object.assign(next.objects[object]!, { waiting: -1, row: Row.Leaving });
    });
  });
}
