import type { Chunk } from "../../core/content.ts";
import type { ContentAmount } from "../../core/content_changes.ts";
import type { ContentPlace, ObjectContent, ObjectTable } from "../ports/object_table.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import { toBytes } from "./contents.ts";
import type { GroupCommit } from "./group_commit.ts";
import { amountOf } from "./objects.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import type { UploadStatement } from "./upload_statements.ts";
import type { Writer } from "./writer.ts";

export interface ObjectTableParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/** Keeps what is known of objects in the SQLite file of the records. */
export class SqliteObjectTable implements ObjectTable {
  readonly #parts: ObjectTableParts;

  constructor(parts: ObjectTableParts) {
    this.#parts = parts;
  }

  async arrive(key: string): Promise<void> {
    await this.#write("arrive", { key });
  }

  async giveUp(keys: readonly string[]): Promise<void> {
    await this.#write("giveUp", { keys: JSON.stringify(keys), now: Date.now() });
  }

  async giveUpAll(): Promise<void> {
    await this.#write("giveUpAll", { now: Date.now() });
  }

  async wait(key: string, id: string): Promise<void> {
    const kept = await this.#write("wait", { key, id });
    if (kept.length === 0) throw new Error(`The object ${key} was given up`);
  }

  waiting(id: string): Promise<string | undefined> {
    const [row] = this.#parts.points.uploadRows("waiting", { id });
    return Promise.resolve(row && String(row.key));
  }

  allWaiting(): Promise<string[]> {
    return Promise.resolve(this.#parts.points.uploadRows("allWaiting", {}).map(toId));
  }

  async endWait(id: string): Promise<void> {
    if (await this.waiting(id) === undefined) return;
    await this.#write("endWait", { id, now: Date.now() });
  }

  async due(now: number, limit: number): Promise<string[]> {
    const rows = await this.#read("due", { now, limit });
    return rows.map(({ key }) => String(key));
  }

  async deleted(keys: readonly string[], due: number): Promise<void> {
    const { commits, writer } = this.#parts;
    const parameters = { keys: JSON.stringify(keys) };
    await commits.run(async () => {
      await writer.uploadRows("forget", parameters);
      await writer.uploadRows("deleted", { ...parameters, due });
    });
  }

  place(hash: string): Promise<ContentPlace | undefined> {
    const [row] = this.#parts.points.uploadRows("place", { hash });
    return Promise.resolve(
      row && {
        size: Number(row.size),
        crc32: Number(row.crc32),
        bytes: toBytes(row.bytes),
        object: row.object === null ? undefined : String(row.object),
      },
    );
  }

  sizesOf(hashes: readonly string[]): Promise<Map<string, number>> {
    return this.#parts.reader.contentSizes(hashes);
  }

  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>> {
    return this.#parts.reader.contentBytes(hashes);
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
    return (await this.#read("inObjects", {})).length > 0;
  }

  async strongroomId(): Promise<string> {
    const [row] = await this.#read("strongroomId", {});
    return String(row?.strongroom_id);
  }

  async quarantined(after: string, limit: number): Promise<string[]> {
    return (await this.#read("quarantined", { after, limit })).map(toHash);
  }

  giveBack(hashes: readonly string[]): Promise<ContentAmount> {
    const { commits, writer } = this.#parts;
    return commits.run(async () => {
      const given = await writer.uploadRows("giveBack", { hashes: JSON.stringify(hashes) });
      await writer.uploadRows("dropGivenBack", { hashes: JSON.stringify(given.map(toHash)) });
      return amountOf(given);
    });
  }

  removeQuarantined(before: number): Promise<ContentAmount> {
    const { commits, writer } = this.#parts;
    return commits.run(async () => {
      await writer.uploadRows("leaveExpired", { before, now: Date.now() });
      return amountOf(await writer.uploadRows("dropExpired", { before }));
    });
  }

  #read(statement: UploadStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.reader.uploadRows(statement, parameters);
  }

  #write(statement: UploadStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.commits.run(() => this.#parts.writer.uploadRows(statement, parameters));
  }
}

function toHash({ hash }: SqlRow): string {
  return String(hash);
}

function toId({ id }: SqlRow): string {
  return String(id);
}
