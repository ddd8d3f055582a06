import type {
  Invitation,
  Passkey,
  PasskeyUse,
  SignInStore,
} from "../../core/people/sign_in_store.ts";
import {
  commit,
  numberOrNull,
  type SqlParameters,
  type SqlRow,
  type Statements,
  toBytes,
} from "./dialect.ts";
import type { SignInStatement } from "./sign_in_statements.ts";

/** Keeps passkeys and invitations in the database of the records. */
export class SqlSignInStore implements SignInStore {
  readonly #statements: Statements<SignInStatement>;

  constructor(statements: Statements<SignInStatement>) {
    this.#statements = statements;
  }

  async hasPasskeys(): Promise<boolean> {
    return (await this.#statements.find("anyPasskey", {})).length > 0;
  }

  async findPasskey(id: string): Promise<Passkey | undefined> {
    return (await this.#statements.find("findPasskey", { id })).map(toPasskey)[0];
  }

  async listPasskeys(person: number): Promise<Passkey[]> {
    return (await this.#statements.find("listPasskeys", { person })).map(toPasskey);
  }

  async addPasskey(passkey: Passkey, max: number): Promise<boolean> {
    const added = await this.#statements.write(
      (run) => run("addPasskey", parametersOf(passkey, max)),
      passkey.person,
    );
    return added.length > 0;
  }

  async usePasskey({ id, counter, begunAt: begun, now }: PasskeyUse): Promise<boolean> {
    const used = await commit(this.#statements, "usePasskey", { id, counter, begun, now });
    return used.length > 0;
  }

  async removePasskey(person: number, id: string): Promise<boolean> {
    return (await commit(this.#statements, "removePasskey", { id, person })).length > 0;
  }

  async addInvitation(
    { tokenSha256, person, createdAt: now, expiresAt: expiry }: Invitation,
  ): Promise<void> {
    await this.#statements.write(async (run) => {
      await run("forgetInvitations", { now, person });
      await run("addInvitation", { token: Uint8Array.fromHex(tokenSha256), person, now, expiry });
    }, person);
  }

  async findInvitation(tokenSha256: string, now: number): Promise<Invitation | undefined> {
    const token = Uint8Array.fromHex(tokenSha256);
    const [row] = await this.#statements.find("findInvitation", { token, now });
    return row && {
      tokenSha256,
      person: Number(row.person),
      createdAt: Number(row.created_at),
      expiresAt: Number(row.expires_at),
    };
  }

  async acceptInvitation(tokenSha256: string, passkey: Passkey, max: number): Promise<boolean> {
    const { person, createdAt: now } = passkey;
    const token = Uint8Array.fromHex(tokenSha256);
    return await this.#statements.write(async (run) => {
      // A passkey that is not added leaves the invitation.
      if ((await run("findInvitation", { token, now })).length === 0) return false;
      if ((await run("addPasskey", parametersOf(passkey, max))).length === 0) return false;
      return (await run("takeInvitation", { token, now })).length > 0;
    }, person);
  }
}

function parametersOf(passkey: Passkey, max: number): SqlParameters {
  const { id, person, publicKey, counter, transports, label, createdAt: now } = passkey;
  return {
    id,
    person,
    publicKey,
    counter,
    transports: JSON.stringify(transports),
    label,
    now,
    max,
  };
}

function toPasskey(row: SqlRow): Passkey {
  const publicKey = toBytes(row.public_key);
  if (publicKey === undefined) throw new Error("A passkey in the database is damaged");
  return {
    id: String(row.id),
    person: Number(row.person),
    publicKey,
    counter: Number(row.counter),
    transports: JSON.parse(String(row.transports)),
    label: String(row.label),
    createdAt: Number(row.created_at),
    usedAt: numberOrNull(row.used_at) ?? undefined,
  };
}
