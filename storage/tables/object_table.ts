import type { Chunk } from "../../core/content.ts";
import type { ContentAmount } from "../../core/content_changes.ts";
import type {
  ContentPlace,
  DueObject,
  ObjectContent,
  ObjectTable,
} from "../content/object_table.ts";
import type { PartTable } from "../content/part_table.ts";
import { commit, type SqlParameters, type SqlRow, type Statements, toBytes } from "./dialect.ts";
import type { ObjectStatement } from "./object_statements.ts";
import { SqlPartTable } from "./part_table.ts";

/** For how long no one else deletes an object that a server is to delete. */
const DELETION_MS = 10_000;

export interface ObjectTableParts {
  readonly statements: Statements<ObjectStatement>;
  /** What the database has of small content. */
  readonly contents: Pick<ObjectTable, "sizesOf" | "bytesOfAll">;
  /** Whether several servers use the database at a time. */
  readonly isShared: boolean;
}

/** Keeps what is known of objects in the database of the records. */
export class SqlObjectTable implements ObjectTable {
  readonly #statements: Statements<ObjectStatement>;
  readonly #contents: Pick<ObjectTable, "sizesOf" | "bytesOfAll">;
  readonly #isShared: boolean;
  #hasExpired = false;
  readonly parts: PartTable;

  constructor({ statements, contents, isShared }: ObjectTableParts) {
    this.#statements = statements;
    this.#contents = contents;
    this.#isShared = isShared;
    this.parts = new SqlPartTable(statements);
  }

  async arrive(key: string): Promise<void> {
    // A row without an object is given up like others, once its server has ended.
    await this.#statements.once("arrive", { key });
  }

  async giveUp(keys: readonly string[]): Promise<void> {
    await this.#write("giveUp", { keys: JSON.stringify(keys), now: Date.now() });
  }

  async expire(): Promise<void> {
    if (this.#hasExpired && !this.#isShared) return;
    await this.#statements.write(async (run) => {
      if (this.#isShared) await run("endLeases", {});
      await run("expire", { now: Date.now() });
      await run("expireParked", {});
    });
    this.#hasExpired = true;
  }

  async wait(key: string, id: string): Promise<void> {
    const kept = await this.#write("wait", { key, id });
    if (kept.length === 0) throw new Error(`The object ${key} was given up`);
  }

  async keep(id: string, bytes: Chunk): Promise<void> {
    await this.#write("keep", { id, bytes });
  }

  async waiting(id: string): Promise<string | Chunk | undefined> {
    const [row] = await this.#statements.find("waiting", { id });
    return row && (typeof row.key === "string" ? row.key : toBytes(row.bytes));
  }

  async endWait(id: string): Promise<void> {
    if (await this.waiting(id) === undefined) return;
    await this.#statements.write(async (run) => {
      await run("endWait", { id, now: Date.now() });
      await run("endParking", { id });
    });
  }

  async due(now: number, limit: number): Promise<DueObject[]> {
    if ((await this.#statements.read("isDue", { now })).length === 0) return [];
    const rows = await this.#write("takeDue", { now, later: now + DELETION_MS, limit });
    return rows.map(({ key, deletions, is_whole }) => ({
      key: String(key),
      again: Number(deletions) > 0,
      isWhole: Boolean(is_whole),
    }));
  }

  async deleted(objects: readonly Omit<DueObject, "isWhole">[], due: number): Promise<void> {
    const keys = (again: boolean) =>
      JSON.stringify(objects.filter((it) => it.again === again).map(({ key }) => key));
    await this.#statements.write(async (run) => {
      await run("deletedAgain", { keys: keys(true) });
      await run("deletedOnce", { keys: keys(false), due });
    });
  }

  async place(hash: string): Promise<ContentPlace | undefined> {
    const [row] = await this.#statements.find("place", { hash });
    return row && {
      size: Number(row.size),
      crc32: Number(row.crc32),
      bytes: toBytes(row.bytes),
      object: row.object === null ? undefined : String(row.object),
    };
  }

  sizesOf(hashes: readonly string[]): Promise<Map<string, number>> {
    return this.#contents.sizesOf(hashes);
  }

  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>> {
    return this.#contents.bytesOfAll(hashes);
  }

  async hashesBelow(prefix: string): Promise<string[]> {
    return (await this.#read("places", { prefix })).map(toHash);
  }

  async contentsIn(prefix: string): Promise<ObjectContent[]> {
    return (await this.#read("contentsIn", { prefix })).map((row) => ({
      hash: toHash(row),
      object: String(row.object),
      size: Number(row.size),
    }));
  }

  async hasFiles(): Promise<boolean> {
    return (await this.#read("inFiles", {})).length > 0;
  }

  async hasObjects(): Promise<boolean> {
    return (await this.#statements.find("inObjects", {})).length > 0;
  }

  async strongroomId(): Promise<string> {
    const [row] = await this.#read("strongroomId", {});
    return String(row?.strongroom_id);
  }

  async quarantined(after: string, limit: number): Promise<string[]> {
    return (await this.#read("quarantined", { after, limit })).map(toHash);
  }

  giveBack(hashes: readonly string[]): Promise<ContentAmount> {
    return this.#statements.write(async (run) => {
      const given = await run("giveBack", { hashes: JSON.stringify(hashes) });
      await run("dropGivenBack", { hashes: JSON.stringify(given.map(toHash)) });
      return amountOf(given);
    });
  }

  removeQuarantined(before: number): Promise<ContentAmount> {
    return this.#statements.write(async (run) => {
      const dropped = await run("dropExpired", { before });
      const keys = dropped.flatMap(({ object }) => object ?? []);
      await run("leave", { keys: JSON.stringify(keys), now: Date.now() });
      return amountOf(dropped);
    });
  }

  #read(statement: ObjectStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#statements.read(statement, parameters);
  }

  #write(statement: ObjectStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return commit(this.#statements, statement, parameters);
  }
}

function toHash({ hash }: SqlRow): string {
  return String(hash);
}

/** How much content the rows are of. */
function amountOf(rows: readonly SqlRow[]): ContentAmount {
  return { count: rows.length, bytes: rows.reduce((bytes, row) => bytes + Number(row.size), 0) };
}
