import { Buffer } from "node:buffer";
import type { ConsoleSessionStore, StoredSession } from "../../core/console_sessions.ts";
import type { Chunk } from "../../core/content.ts";
import { commit, type Statements, toBytes } from "./dialect.ts";
import type { SessionStatement } from "./session_statements.ts";

/** Keeps the sessions of the console in the database of the records. */
export class SqlSessionStore implements ConsoleSessionStore {
  readonly #statements: Statements<SessionStatement>;

  constructor(statements: Statements<SessionStatement>) {
    this.#statements = statements;
  }

  async add(
    { id, userId: user, sealed, createdAt: now, expiresAt: expiry }: StoredSession,
    max: number,
  ): Promise<void> {
    await this.#statements.write(async (run) => {
      await run("forgetExpired", { now });
      await run("add", { id: Buffer.from(id, "hex"), user, sealed, now, expiry });
      await run("forgetOldest", { user, max });
    }, user);
  }

  async find(id: string, now: number): Promise<Chunk | undefined> {
    const [row] = await this.#statements.find("find", { id: Buffer.from(id, "hex"), now });
    return toBytes(row?.sealed);
  }

  async remove(id: string): Promise<void> {
    await commit(this.#statements, "remove", { id: Buffer.from(id, "hex") });
  }
}
