/** What a row of the table `objects` says, if there is one. */
export enum Row {
  None,
  /** Its server has a lease. */
  Arriving,
  /** The lease of its server has run out. */
  Expired,
  Leaving,
  /** The object has been deleted once. */
  Deleted,
}

/** Requests to the store of objects that were sent and may still be carried out, once or several times. */
export enum Sent {
  Put = 1,
  /** Begins a multipart upload. */
  Create = 2,
  /** Completes it. */
  Complete = 4,
  /** Aborts multipart uploads, and deletes the object. */
  Delete = 8,
}

/** What a server does. Names in the past tense wait for a reply. */
export enum Doing {
  Nothing,
  /** The row of the object is committed. */
  Announced,
  PutSent,
  CreateSent,
  CompleteSent,
  /** The object is known to be complete. */
  Uploaded,
  /** In the transaction that adds the record. */
  Publishing,
  /** The connection broke while that transaction was committed. */
  OutcomeUnknown,
  /** The server died; the database does not know yet. */
  DeadPublishing,
  /** The upload has failed. */
  Failed,
  /** In the transaction that collects content: has taken rows of `dropped`. */
  Collecting,
  /** Has locked the row of the content. */
  Locked,
  /** Has found a record or no row, and commits. */
  Keeping,
  /** Has removed it, and commits. */
  Removing,
  /** The server died after it locked the row. */
  DeadLocked,
  /** The server died after it removed the row. */
  DeadRemoving,
  DeleteSent,
  /** The object is known to be deleted. */
  DeleteDone,
  /** Has read the record that it copies. */
  Copying,
}

/** How a publication deals with content that is stored already. */
export enum Publication {
  Insert,
  Share,
  /** The stored object is damaged. */
  Replace,
}

export interface Content {
  /** How many records have it. */
  records: number;
  /** The object that its row names, or -1 if there is no row. */
  object: number;
  /** Whether there are rows of `dropped` for it that no transaction has taken. */
  dropped: boolean;
}

export interface StoredObject {
  row: Row;
  /** The content that waits in the object for a commit or the rest of an upload, or -1. */
  waiting: number;
  complete: boolean;
  /** Whether there is a multipart upload that is not completed. */
  unfinished: boolean;
  /** A set of {@link Sent}. */
  sent: number;
}

export interface Server {
  doing: Doing;
  content: number;
  object: number;
  publication: Publication;
  /** The object that a replacement has found, or -1. */
  replaced: number;
  /** Whether it deletes for the second time, or has seen that no record has the content. */
  noted: boolean;
}

export interface Reader {
  content: number;
  /** The object that it is about to open, or -1 if there is no reader. */
  object: number;
  /** Whether there was a moment without a record since it began. */
  recordGone: boolean;
  /** Whether it failed although there was a record all the time. */
  failed: boolean;
}

/** The database, the store of objects, the requests between them, and the servers. */
export interface World {
  readonly contents: Content[];
  readonly objects: StoredObject[];
  readonly servers: Server[];
  readonly reader: Reader;
}

/** Emits a step that changes a copy of the state. */
export type Take = (name: string, byItself: boolean, change: (next: World) => void) => void;

export const IDLE: Readonly<Server> = {
  doing: Doing.Nothing,
  content: 0,
  object: -1,
  publication: Publication.Insert,
  replaced: -1,
  noted: false,
};

const NO_READER: Readonly<Reader> = { content: 0, object: -1, recordGone: false, failed: false };
const NO_OBJECT: Readonly<StoredObject> = {
  row: Row.None,
  waiting: -1,
  complete: false,
  unfinished: false,
  sent: 0,
};

export interface Size {
  readonly servers: number;
  readonly contents: number;
  /** How many objects there can be at a time. */
  readonly objects: number;
}

export function emptyWorld({ servers, contents, objects }: Size): World {
  return {
    contents: Array.from({ length: contents }, () => ({ records: 0, object: -1, dropped: false })),
    objects: Array.from({ length: objects }, () => ({ ...NO_OBJECT })),
    servers: Array.from({ length: servers }, () => ({ ...IDLE })),
    reader: { ...NO_READER },
  };
}

export function clone({ contents, objects, servers, reader }: World): World {
  return {
    contents: contents.map((it) => ({ ...it })),
    objects: objects.map((it) => ({ ...it })),
    servers: servers.map((it) => ({ ...it })),
    reader: { ...reader },
  };
}

/**
 * Text that is the same for states that differ only in which server is which, and mostly for those that
 * differ only in which object is which.
 */
export function encode(world: World): string {
  const { contents, objects, servers, reader } = world;
  const codes = objects.map((object, number) => encodeObject(object) * 8 + number).sort(ascending);
  const ranks = [0];
  codes.forEach((code, rank) => ranks[code % 8 + 1] = rank + 1);
  const rank = (object: number) => ranks[object + 1]!;
  const text: number[] = [];
  for (const it of contents) text.push(it.records * 64 + rank(it.object) * 2 + Number(it.dropped));
  for (const code of codes) text.push(Math.floor(code / 8));
  const from = text.length;
  for (const it of servers) {
    const objects = (rank(it.object) * 8 + rank(it.replaced)) * 2 + Number(it.noted);
    text.push((objects * 4 + it.content) * 128 + it.doing * 4 + it.publication);
  }
  if (text.length > from + 1) text.push(...text.splice(from).sort(ascending));
  text.push(
    rank(reader.object) * 16 + reader.content * 4 + Number(reader.recordGone) * 2 +
      Number(reader.failed),
  );
  return String.fromCharCode(...text);
}

function ascending(a: number, b: number): number {
  return a - b;
}

function encodeObject({ row, waiting, complete, unfinished, sent }: StoredObject): number {
  const flags = Number(complete) + 2 * Number(unfinished);
  return ((row * 4 + waiting + 1) * 4 + flags) * 16 + sent;
}

/** One line for people. */
export function describe({ contents, objects, servers, reader }: World): string {
  const name = (object: number) => object === -1 ? "" : ` o${object}`;
  const parts = contents.map(({ records, object, dropped }, i) =>
    `c${i}(${records} records,${object === -1 ? " no row" : name(object)}${
      dropped ? ", dropped" : ""
    })`
  );
  objects.forEach(({ row, waiting, complete, unfinished, sent }, i) => {
    const words = [
      row !== Row.None && Row[row],
      waiting !== -1 && `waiting c${waiting}`,
      complete && "complete",
      unfinished && "unfinished",
      ...[Sent.Put, Sent.Create, Sent.Complete, Sent.Delete].map((it) =>
        (sent & it) !== 0 && `${Sent[it]} in flight`
      ),
    ].filter(Boolean);
    if (words.length > 0) parts.push(`o${i}(${words.join(", ")})`);
  });
  servers.forEach(({ doing, content, object, publication }, i) => {
    if (doing === Doing.Nothing) return;
    const how = doing === Doing.Publishing ? `, ${Publication[publication]}` : "";
    parts.push(`s${i}(${Doing[doing]} c${content}${name(object)}${how})`);
  });
  if (reader.object !== -1) parts.push(`reader(c${reader.content}${name(reader.object)})`);
  return parts.join(" ");
}
