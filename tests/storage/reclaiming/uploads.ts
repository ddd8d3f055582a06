import { isObjectLocked, mustWait, publishing } from "./locks.ts";
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

/** The steps of one server that bring content in. */
export function uploadSteps(world: World, rules: Rules, id: number, take: Take): void {
  const server = world.servers[id]!;
  switch (server.doing) {
    case Doing.Nothing:
      beginUploads(world, rules, id, take);
      if (rules.waiting) publishWaiting(world, rules, id, take);
      break;
    case Doing.Announced:
    case Doing.PutSent:
    case Doing.CreateSent:
    case Doing.CompleteSent:
      send(world, rules, id, take);
      take("fails its upload", true, (next) => next.servers[id]!.doing = Doing.Failed);
      break;
    case Doing.Uploaded:
      begin(world, rules, id, server, take);
      take("fails its upload", true, (next) => next.servers[id]!.doing = Doing.Failed);
      if (rules.waiting) park(id, server, take);
      break;
    case Doing.Publishing:
    case Doing.OutcomeUnknown:
    case Doing.DeadPublishing:
      end(world, rules, id, server, take);
      break;
    case Doing.Failed:
      fail(world, rules, id, server, take);
      break;
  }
}

function beginUploads(world: World, { without, contents }: Rules, id: number, take: Take): void {
  const object = world.objects.findIndex((_, number) =>
    isFree(world, number, without.has("newNames"))
  );
  if (object === -1) return;
  for (let content = 0; content < contents; content++) {
    take("begins an upload", false, (next) => {
      if (!without.has("announced")) next.objects[object]!.row = Row.Arriving;
      next.servers[id] = { ...IDLE, doing: Doing.Announced, content, object };
    });
  }
}

/** Whether a name is new: nothing can ever know it. Otherwise whether only the database does not. */
function isFree(world: World, object: number, inDatabase: boolean): boolean {
  const { row, complete, unfinished, sent } = world.objects[object]!;
  if (row !== Row.None || world.contents.some((it) => it.object === object)) return false;
  if (world.servers.some((it) => it.object === object)) return false;
  return inDatabase || !complete && !unfinished && sent === 0 && world.reader.object !== object &&
      !world.servers.some((it) => it.replaced === object);
}

/** Requests to the store, and what their replies mean. */
function send(world: World, { without, multipart }: Rules, id: number, take: Take): void {
  const { doing, object } = world.servers[id]!;
  const { row, complete, unfinished } = world.objects[object]!;
  const maySend = row === Row.Arriving || without.has("leaseBeforeSending") ||
    without.has("announced");
  const request = (name: string, sent: Sent, then: Doing) =>
    take(name, true, (next) => {
      next.objects[object]!.sent |= sent;
      next.servers[id]!.doing = then;
    });
  if (doing === Doing.Announced && maySend) {
    request("sends the content", Sent.Put, Doing.PutSent);
    if (multipart) request("begins a multipart upload", Sent.Create, Doing.CreateSent);
  }
  if (doing === Doing.CreateSent && unfinished && maySend) {
    request("completes the multipart upload", Sent.Complete, Doing.CompleteSent);
  }
  if ((doing === Doing.PutSent || doing === Doing.CompleteSent) && complete) {
    take("learns that the object is complete", true, (next) => {
      next.servers[id]!.doing = Doing.Uploaded;
    });
  }
}

/** The content waits for a commit, or the rest of the upload: its row does not need a lease. */
function park(id: number, { content, object }: Server, take: Take): void {
  take("keeps the content waiting", false, (next) => {
    const kept = next.objects[object]!;
    if (kept.row === Row.Arriving) kept.row = Row.Expired;
    if (kept.row === Row.Expired) kept.waiting = content;
    next.servers[id] = kept.waiting === -1
      ? { ...next.servers[id]!, doing: Doing.Failed }
      : { ...IDLE };
  });
}

function publishWaiting(world: World, rules: Rules, id: number, take: Take): void {
  world.objects.forEach(({ waiting }, object) => {
    if (waiting === -1 || isObjectLocked(world, object)) return;
    begin(world, rules, id, { ...IDLE, content: waiting, object }, take);
  });
}

/** Begins the transaction that adds the record. */
function begin(world: World, rules: Rules, id: number, server: Server, take: Take): void {
  const { content, object } = server;
  const { row, waiting } = world.objects[object]!;
  const { without } = rules;
  const isArriving = row === Row.Arriving || row === Row.Expired;
  if (!isArriving && !without.has("arrivingChecked") && !without.has("announced")) {
    if (waiting !== -1) return;
    return take("finds the row gone", true, (next) => next.servers[id]!.doing = Doing.Failed);
  }
  const start = (publication: Publication, replaced = -1) =>
    take(`begins to publish (${Publication[publication]})`, waiting === -1, (next) => {
      next.servers[id] = { ...server, doing: Doing.Publishing, publication, replaced };
    });
  const stored = world.contents[content]!.object;
  if (stored === -1) {
    if (!mustWait(world, content, Publication.Insert)) start(Publication.Insert);
    return;
  }
  if (without.has("contentLocked") || !mustWait(world, content, Publication.Share)) {
    start(Publication.Share);
  }
  if (!rules.damage) return;
  const free = !mustWait(world, content, Publication.Replace);
  if (free || without.has("replacementCompared")) start(Publication.Replace, stored);
}

/** The transaction commits or not, and its server learns that or not. */
function end(world: World, rules: Rules, id: number, server: Server, take: Take): void {
  const { content, object, doing } = server;
  const after = (next: World, failed: boolean) => {
    const again = failed && doing !== Doing.DeadPublishing && next.objects[object]!.waiting === -1;
    next.servers[id] = again ? { ...server, doing: Doing.Failed } : { ...IDLE };
  };
  const refused = !mayCommit(world, rules, server);
  if (!refused) {
    take("commits the publication", true, (next) => {
      commit(next, rules, server);
      after(next, false);
    });
  }
  take("rolls the publication back", refused || doing !== Doing.Publishing, (next) => {
    if (rules.without.has("droppedQueue") && doing !== Doing.DeadPublishing) {
      next.contents[content]!.dropped = true;
    }
    after(next, true);
  });
  if (doing === Doing.Publishing && !rules.embedded) {
    take("loses the connection", false, (next) => next.servers[id]!.doing = Doing.OutcomeUnknown);
  }
  if (doing === Doing.OutcomeUnknown && rules.without.has("leavingBeforeDeletion")) {
    take("deletes the object at once", true, (next) => {
      next.objects[object]!.sent |= Sent.Delete;
      next.servers[id]!.doing = Doing.DeadPublishing;
    });
  }
}

function mayCommit(world: World, { without }: Rules, server: Server): boolean {
  if (server.publication !== Publication.Share || without.has("foreignKey")) return true;
  return world.contents[server.content]!.object !== -1 &&
    publishing(world, server.content).includes(server) && !isRemoved(world, server.content);
}

function isRemoved({ servers }: World, content: number): boolean {
  return servers.some((it) =>
    it.content === content && (it.doing === Doing.Removing || it.doing === Doing.DeadRemoving)
  );
}

function commit(next: World, { records, without }: Rules, server: Server): void {
  const content = next.contents[server.content]!;
  const object = next.objects[server.object]!;
  object.waiting = -1;
  content.records = Math.min(records, content.records + 1);
  if (server.publication === Publication.Share) {
    if (object.row !== Row.None || without.has("announced")) object.row = Row.Leaving;
    return;
  }
  const replaced = without.has("replacementCompared") ? server.replaced : content.object;
  if (replaced !== -1) next.objects[replaced]!.row = Row.Leaving;
  content.object = server.object;
  if (object.row === Row.Arriving || object.row === Row.Expired) object.row = Row.None;
}

/** Makes the object of a failed upload leaving, unless it is published after all. */
function fail(world: World, { without }: Rules, id: number, { object }: Server, take: Take): void {
  const published = world.contents.some((it) => it.object === object);
  take("makes the object leaving", true, (next) => {
    const failed = next.objects[object]!;
    const isArriving = failed.row === Row.Arriving || failed.row === Row.Expired;
    const unannounced = without.has("announced") && failed.row === Row.None && !published;
    if (isArriving || unannounced) failed.row = Row.Leaving;
    next.servers[id] = { ...IDLE };
  });
  if (without.has("failureRecorded")) {
    take("forgets the failed upload", false, (next) => next.servers[id] = { ...IDLE });
  }
}
