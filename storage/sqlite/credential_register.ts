import {
  addMinted,
  type CredentialStatement,
  revokeUser,
  toCredential,
} from "../tables/credential_statements.ts";
import type { RunStatement } from "../tables/dialect.ts";
import { SqlPeopleStore } from "../tables/people_store.ts";
import { SqlSignInStore } from "../tables/sign_in_store.ts";
import type { MintedCredential, RegisteredCredential } from "../../core/credential_store.ts";
import type { CredentialRegister } from "../tables/credential_register.ts";
import { Connection } from "./connection.ts";
import { REGISTER_VERSION, schemaVersion } from "./migrate.ts";
import { statementsOn } from "./own_statements.ts";
import { STATEMENTS } from "./statements.ts";

/**
 * The credentials that were minted or revoked (C 22). The command line writes it while a server reads it:
 * each call is one short transaction.
 */
export class SqliteCredentialRegister implements CredentialRegister, Disposable {
  readonly #connection: Connection;
  readonly people: SqlPeopleStore;
  readonly signIns: SqlSignInStore;

  /** @param path The path of the database, which must have the register. */
  constructor(path: string) {
    this.#connection = new Connection(path, { readOnly: false });
    // Only the server may move its log into the database: it notes when.
    this.#connection.script("PRAGMA wal_autocheckpoint = 0");
    this.people = new SqlPeopleStore(statementsOn(this.#connection, STATEMENTS.people));
    this.signIns = new SqlSignInStore(statementsOn(this.#connection, STATEMENTS.signIns));
  }

  async add(credential: MintedCredential): Promise<void> {
    await addMinted(this.#run, credential);
  }

  async revokeUser(user: number, before: number, now: number): Promise<number> {
    return await revokeUser(this.#run, { user, before, now });
  }

  revoke(jti: string, now: number): boolean {
    return this.#connection.all(STATEMENTS.credentials.revokeCredential, { jti, now }).length > 0;
  }

  readonly #run: RunStatement<CredentialStatement> = (name, parameters) =>
    Promise.resolve(this.#connection.all(STATEMENTS.credentials[name], parameters));

  list(): RegisteredCredential[] {
    const rows = this.#connection.all(STATEMENTS.credentials.allCredentials);
    return rows.map(toCredential);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}

/** Whether a database exists and has the register. */
export function hasRegister(path: string): boolean {
  try {
    using connection = new Connection(path, { readOnly: true });
    return schemaVersion(connection) >= REGISTER_VERSION;
  } catch {
    // It does not exist yet, or is being created.
    return false;
  }
}
