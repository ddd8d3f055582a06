import { entriesJson } from "../../core/entries.ts";
import type { ItemsJson, ListQuery, ResourceRecord } from "../../core/ports.ts";
import { recordOf } from "../tables/record_rows.ts";
import type { Database, HeldSession } from "./database.ts";
import { asUnavailable } from "./failures.ts";
import { listStatements } from "./listing.ts";
import { asOf, HISTORY } from "./past.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { Session } from "./session.ts";

/** Records in a page, at most. */
const PAGE_RECORDS = 350;
/** A listing whose reader takes longer than this for a page continues with another snapshot. */
const LIST_IDLE_MS = 1000;
/** How long a listing may read one snapshot. While it does, the engine keeps what others delete. */
const MAX_SNAPSHOT_MS = 10_000;

/** Part of a listing. */
interface Page {
  readonly records: readonly ResourceRecord[];
  readonly done: boolean;
}

/**
 * Lists records page by page from one snapshot, as long as its reader is fast. Then the connection is
 * left to others, and the listing goes on with another snapshot.
 */
export class Lists {
  readonly #database: Database;
  readonly #idleMs: number;

  /** @param idleMs How long a listing keeps its connection while its reader takes a page. @default 1000 */
  constructor(database: Database, idleMs = LIST_IDLE_MS) {
    this.#database = database;
    this.#idleMs = idleMs;
  }

  /** @param past The tree at a version. @default the present */
  async *pages(query: ListQuery, past?: PastTree): AsyncGenerator<readonly ResourceRecord[]> {
    const first = await this.#database.use("reads", async (session) => {
      const page = await begin(session, { query }, past);
      await session.commit();
      return page;
    });
    if (first.done) {
      if (first.records.length > 0) yield first.records;
      return;
    }
    await using cursor = new Cursor(this.#database, query, past);
    for (let page = await cursor.next();;) {
      const next = page.done ? undefined : cursor.next();
      // It is read while this one is used. The caller may want no more of it.
      next?.catch(() => {});
      if (page.records.length > 0) yield* this.#lent(page.records, cursor);
      if (next === undefined) return;
      page = await next;
    }
  }

  /** The same as text. */
  async *json(query: ListQuery, past?: PastTree): AsyncGenerator<ItemsJson> {
    for await (const records of this.pages(query, past)) yield entriesJson(records);
  }

  *#lent(
    records: readonly ResourceRecord[],
    cursor: Cursor,
  ): Generator<readonly ResourceRecord[]> {
    const idle = setTimeout(() => cursor.leave(), this.#idleMs);
    try {
      yield records;
    } finally {
      clearTimeout(idle);
    }
  }
}

/** A listing over a connection that can be given back between pages. */
class Cursor implements AsyncDisposable {
  readonly #database: Database;
  readonly #query: ListQuery;
  readonly #past: PastTree | undefined;
  #held: HeldSession | undefined;
  #openedAt = 0;
  #after: ResourceRecord | undefined;
  /** Calls run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, query: ListQuery, past: PastTree | undefined) {
    this.#database = database;
    this.#query = query;
    this.#past = past;
  }

  next(): Promise<Page> {
    return this.#inTurn(async () => {
      try {
        if (performance.now() - this.#openedAt > MAX_SNAPSHOT_MS) await this.#release();
        const page = this.#held === undefined
          ? await this.#open()
          : await fetch(this.#held.session);
        this.#after = page.records.at(-1) ?? this.#after;
        return page;
      } catch (error) {
        await this.#drop();
        throw asUnavailable(error);
      }
    });
  }

  /** Gives the connection back. The next page takes one again. */
  leave(): void {
    // A connection that fails is closed.
    this.#inTurn(() => this.#release()).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(() => this.#release()).catch(() => {});
  }

  async #open(): Promise<Page> {
    this.#held = await this.#database.connect("long");
    this.#openedAt = performance.now();
    return await begin(
      this.#held.session,
      { query: this.#query, after: this.#after },
      this.#past,
    );
  }

  async #release(): Promise<void> {
    if (this.#held === undefined) return;
    try {
      await this.#held.session.commit();
      this.#held.keep();
    } finally {
      await this.#drop();
    }
  }

  async #drop(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.[Symbol.asyncDispose]();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** Begins a transaction that reads a listing, and reads its first page. */
async function begin(
  session: Session,
  { query, after }: { readonly query: ListQuery; readonly after?: ResourceRecord | undefined },
  past: PastTree | undefined,
): Promise<Page> {
  const statements = listStatements(query, after);
  const isOfDirectory = query.recursive && query.directories.length === 1;
  const history = isOfDirectory ? HISTORY.below(":directory::text") : HISTORY.all;
  const head = statements.head && asOf(statements.head, past, HISTORY.at("asked.path"));
  const body = asOf(statements.body, past, history);
  const [, first, , page] = await Promise.all([
    session.begin("REPEATABLE READ READ ONLY"),
    head === undefined ? [] : session.values(head.sql, head.parameters),
    session.run(`DECLARE listing NO SCROLL CURSOR FOR ${body.sql}`, body.parameters),
    fetch(session),
  ]);
  return { records: [...first.map(recordOf), ...page.records], done: page.done };
}

async function fetch(session: Session): Promise<Page> {
  const rows = await session.fetch(`FETCH ${PAGE_RECORDS} FROM listing`);
  return { records: rows.map(recordOf), done: rows.length < PAGE_RECORDS };
}
