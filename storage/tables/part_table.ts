import type { Chunk } from "../../core/content.ts";
import { RetryLater } from "../../core/errors.ts";
import type { NewPart, PartTable, UploadPart, UploadTurn } from "../content/part_table.ts";
import { type RunStatement, type SqlRow, type Statements, toBytes } from "./dialect.ts";
import type { partStatements } from "./part_statements.ts";

export type PartStatement = keyof ReturnType<typeof partStatements>;

/** Keeps in the database of the records what unfinished uploads have received. */
export class SqlPartTable implements PartTable {
  readonly #statements: Statements<PartStatement>;

  constructor(statements: Statements<PartStatement>) {
    this.#statements = statements;
  }

  take(id: string, received: number): Promise<{ turn: number; parts: UploadPart[] } | undefined> {
    return this.#statements.write(async (run) => {
      const [taken] = await run("takeUpload", { id, received });
      if (taken === undefined) return undefined;
      await cut(run, id, received);
      return { turn: Number(taken.turn), parts: (await run("parts", { id })).map(toPart) };
    });
  }

  replace(
    { id, turn }: UploadTurn,
    position: number,
    parts: readonly NewPart[],
  ): Promise<boolean> {
    return this.#statements.write(async (run) => {
      if ((await run("holdUpload", { id, turn })).length === 0) return false;
      await cut(run, id, position);
      let at = position;
      for (const part of parts) at += await add(run, { id, position: at }, part);
      return true;
    });
  }

  async bytesOf(id: string, position: number): Promise<Chunk> {
    const [row] = await this.#statements.find("partBytes", { id, position });
    const bytes = toBytes(row?.bytes);
    if (bytes === undefined) throw new Error(`The upload ${id} has lost its part at ${position}`);
    return bytes.subarray(0, Number(row?.size));
  }
}

/** Drops all from a position on. */
async function cut(run: RunStatement<PartStatement>, id: string, position: number): Promise<void> {
  await run("dropParts", { id, position });
  await run("shortenPart", { id, position });
}

/** Adds a part, and returns its size. */
async function add(
  run: RunStatement<PartStatement>,
  at: { readonly id: string; readonly position: number },
  part: NewPart,
): Promise<number> {
  if ("bytes" in part) {
    const { bytes } = part;
    await run("addPart", { ...at, size: bytes.length, bytes, object: null });
    return bytes.length;
  }
  const { object, size } = part;
  if ((await run("endArrival", { object })).length === 0) {
    throw new RetryLater("ErrUnavailable", "The server was out of touch: no changes were saved", 1);
  }
  await run("addPart", { ...at, size, bytes: null, object });
  return size;
}

function toPart({ position, size, object }: SqlRow): UploadPart {
  return {
    position: Number(position),
    size: Number(size),
    object: typeof object === "string" ? object : undefined,
  };
}
