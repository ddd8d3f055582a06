import { collectionSteps, deleteObject, expirySteps } from "./collections.ts";
import { isCollected } from "./locks.ts";
import type { Rules } from "./rules.ts";
import type { Model, Step } from "./search.ts";
import {
  clone,
  describe,
  Doing,
  emptyWorld,
  encode,
  IDLE,
  Row,
  Sent,
  type Take,
  type World,
} from "./state.ts";
import { uploadSteps } from "./uploads.ts";

/** Servers that share content, as docs/design/content_of_several_servers.md describes it. */
export function protocol(rules: Rules): Model<World> {
  return {
    initial: emptyWorld(rules),
    encode,
    describe,
    violation,
    leak,
    isClean,
    steps(world, emit) {
      for (const id of world.servers.keys()) {
        const take = takeFrom(world, emit, `s${id} `);
        uploadSteps(world, rules, id, take);
        collectionSteps(world, rules, id, take);
        if (rules.copies) copySteps(world, rules, id, take);
        crash(world, rules, id, take);
      }
      const take = takeFrom(world, emit, "");
      requestSteps(world, rules, take);
      expirySteps(world, rules, take);
      dropSteps(world, take);
      if (rules.slowServers) leaseSteps(world, take);
      if (rules.readers) readerSteps(world, rules, take);
    },
  };
}

function takeFrom(world: World, emit: (step: Step, next: World) => void, actor: string): Take {
  return (name, byItself, change) => {
    const next = clone(world);
    change(next);
    emit({ name: actor + name, byItself }, next);
  };
}

/** What must never be true. */
function violation({ contents, objects, reader }: World): string | undefined {
  for (const { records, object } of contents) {
    if (records > 0 && (object === -1 || !objects[object]!.complete)) {
      return "the content of a record is lost";
    }
  }
  if (objects.some(({ waiting, complete }) => waiting !== -1 && !complete)) {
    return "waiting content is lost";
  }
  if (reader.failed) return "a reader of an existing record fails";
  return undefined;
}

/** Objects that a step to a clean state cannot find. */
function leak({ contents, objects }: World): string | undefined {
  const isLeaked = objects.some(({ row, complete, unfinished }, number) =>
    (complete || unfinished) && row === Row.None && !contents.some((it) => it.object === number)
  );
  return isLeaked ? "no row names an object" : undefined;
}

/** Whether there is nothing but records, their content, and its objects. */
function isClean({ contents, objects }: World): boolean {
  if (contents.some((it) => it.dropped || it.records === 0 && it.object !== -1)) return false;
  return objects.every(({ row, complete, unfinished }, number) =>
    row === Row.None && !unfinished && complete === contents.some((it) => it.object === number)
  );
}

/** Copies a record with one statement: it reads the source first, and inserts its copy then. */
function copySteps(world: World, { without, records }: Rules, id: number, take: Take): void {
  const { doing, content } = world.servers[id]!;
  if (doing === Doing.Nothing) {
    world.contents.forEach((it, content) => {
      if (it.records === 0) return;
      take("reads a record to copy", false, (next) => {
        next.servers[id] = { ...IDLE, doing: Doing.Copying, content };
      });
    });
  }
  if (doing !== Doing.Copying) return;
  const checked = !without.has("foreignKey");
  if (checked && isCollected(world, content)) return;
  const refused = checked && world.contents[content]!.object === -1;
  take(refused ? "is refused the copy" : "inserts the copy", true, (next) => {
    const copied = next.contents[content]!;
    if (!refused) copied.records = Math.min(records, copied.records + 1);
    next.servers[id] = { ...IDLE };
  });
}

/** A server dies and starts again. The database may end its transaction much later. */
function crash(world: World, rules: Rules, id: number, take: Take): void {
  const { doing, content, object } = world.servers[id]!;
  const inMemory = rules.embedded || rules.without.has("droppedQueue");
  if (doing === Doing.Nothing && !inMemory) return;
  const dead: Partial<Record<Doing, Doing>> = {
    [Doing.Publishing]: Doing.DeadPublishing,
    [Doing.OutcomeUnknown]: Doing.DeadPublishing,
    [Doing.Locked]: Doing.DeadLocked,
    [Doing.Removing]: Doing.DeadRemoving,
  };
  if (Object.values(dead).includes(doing)) return;
  take("dies", false, (next) => {
    if (object !== -1 && next.objects[object]!.row === Row.Arriving) {
      next.objects[object]!.row = Row.Expired;
    }
    const hasTaken = doing === Doing.Collecting || doing === Doing.Keeping;
    if (hasTaken && !inMemory) next.contents[content]!.dropped = true;
    const later = rules.embedded ? undefined : dead[doing];
    if (later === undefined) next.servers[id] = { ...IDLE };
    else next.servers[id]!.doing = later;
    if (inMemory) compare(next);
  });
}

/** The contents without a record are looked for. */
function compare(next: World): void {
  for (const content of next.contents) {
    content.dropped = content.object !== -1 && content.records === 0;
  }
}

/** Requests arrive, perhaps several times, or never will. */
function requestSteps(world: World, rules: Rules, take: Take): void {
  world.objects.forEach(({ sent, unfinished }, number) => {
    const arrive = (request: Sent, change: (next: World) => void) => {
      if ((sent & request) === 0) return;
      take(`${Sent[request]} of o${number} arrives`, true, change);
      take(`${Sent[request]} of o${number} cannot arrive any more`, true, (next) => {
        next.objects[number]!.sent &= ~request;
      });
    };
    arrive(Sent.Put, (next) => next.objects[number]!.complete = true);
    arrive(Sent.Create, (next) => {
      next.objects[number]!.unfinished = true;
      if (!rules.without.has("createNotRetried")) next.objects[number]!.sent &= ~Sent.Create;
    });
    arrive(Sent.Complete, (next) => {
      if (unfinished) Object.assign(next.objects[number]!, { complete: true, unfinished: false });
    });
    arrive(Sent.Delete, (next) => deleteObject(next, rules, number));
  });
}

/** Records are deleted. */
function dropSteps(world: World, take: Take): void {
  world.contents.forEach(({ records }, content) => {
    if (records === 0) return;
    take(`a record of c${content} is deleted`, false, (next) => {
      const left = next.contents[content]!;
      left.records--;
      left.dropped = true;
      if (left.records === 0 && next.reader.content === content) next.reader.recordGone = true;
    });
  });
}

/** A server that is alive, but too slow, loses its lease. */
function leaseSteps(world: World, take: Take): void {
  world.objects.forEach(({ row }, object) => {
    if (row !== Row.Arriving) return;
    take(`the lease for o${object} runs out`, false, (next) => {
      next.objects[object]!.row = Row.Expired;
    });
  });
}

/** A reader looks up the record of a content, and then opens the object. */
function readerSteps(world: World, { without }: Rules, take: Take): void {
  const { reader } = world;
  const lookUp = (next: World, content: number) => {
    const { records, object } = next.contents[content]!;
    const found = records === 0 ? -1 : object;
    Object.assign(next.reader, {
      content: found === -1 ? 0 : content,
      object: found,
      recordGone: false,
    });
  };
  if (reader.object === -1) {
    world.contents.forEach(({ records }, content) => {
      if (records > 0) take("a reader looks a record up", false, (next) => lookUp(next, content));
    });
  } else if (world.objects[reader.object]!.complete) {
    take("the reader opens the object", true, (next) => {
      Object.assign(next.reader, { content: 0, object: -1, recordGone: false });
    });
  } else if (!without.has("readersLookAgain")) {
    take("the reader looks the record up again", true, (next) => lookUp(next, reader.content));
  } else {
    take("the reader gives up", true, (next) => {
      Object.assign(next.reader, { object: -1, failed: !reader.recordGone });
    });
  }
}
