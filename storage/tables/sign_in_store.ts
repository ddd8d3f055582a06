import type {
  DeviceLogin,
  Invitation,
  NewDeviceLogin,
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
  textOrNull,
  toBytes,
} from "./dialect.ts";
import type { SignInStatement } from "./sign_in_statements.ts";

/** Keeps passkeys, invitations and machines that wait in the database of the records. */
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

  async addDevice(device: NewDeviceLogin, max: number): Promise<boolean> {
    const { deviceSha256, userCode: code, machine, address, createdAt: now } = device;
    const added = await this.#statements.write(async (run) => {
      await run("forgetDevices", { now });
      return await run("addDevice", {
        device: Uint8Array.fromHex(deviceSha256),
        ...{ code, machine, now, max },
        address: address ?? null,
        expiry: device.expiresAt,
      });
    });
    return added.length > 0;
  }

  async findDevice(code: string, now: number): Promise<DeviceLogin | undefined> {
    return (await this.#statements.find("findDevice", { code, now })).map(toDevice)[0];
  }

  async decideDevice(
    code: string,
    { person, now }: { readonly person: number | undefined; readonly now: number },
  ): Promise<boolean> {
    const parameters = { code, person: person ?? null, now };
    return (await commit(this.#statements, "decideDevice", parameters)).length > 0;
  }

  async takeDevice(deviceSha256: string, now: number): Promise<DeviceLogin | undefined> {
    const parameters = { device: Uint8Array.fromHex(deviceSha256), now };
    // Machines ask often, and write nothing as long as they wait.
    const [found] = await this.#statements.find("findByDevice", parameters);
    if (found === undefined || found.decided_at === null) return found && toDevice(found);
    return (await commit(this.#statements, "takeDevice", parameters)).map(toDevice)[0];
  }
}

function toDevice(row: SqlRow): DeviceLogin {
  return {
    userCode: String(row.user_code),
    machine: String(row.machine),
    address: textOrNull(row.address) ?? undefined,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    decidedAt: numberOrNull(row.decided_at) ?? undefined,
    person: numberOrNull(row.person) ?? undefined,
  };
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
