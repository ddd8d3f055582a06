import type { Chunk } from "../content.ts";

/** A key of a person, whose private part only an authenticator has (WebAuthn). Times are in milliseconds. */
export interface Passkey {
  /** The id that the authenticator has chosen, in base64url. */
  readonly id: string;
  /** The number of the person. */
  readonly person: number;
  /** In COSE's form. */
  readonly publicKey: Chunk;
  /** How often the authenticator says to have signed; many do not count. */
  readonly counter: number;
  /** How browsers reach the authenticator, as it said: `usb`, `internal` … */
  readonly transports: readonly string[];
  /** What the person calls it. */
  readonly label: string;
  readonly createdAt: number;
  /** Undefined before the first use. */
  readonly usedAt: number | undefined;
}

/** A link by which a person makes a passkey, once. */
export interface Invitation {
  /** The SHA-256 of its token in hex. Nothing else of the token is kept. */
  readonly tokenSha256: string;
  /** The number of the person. */
  readonly person: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Uses of a passkey. */
export interface PasskeyUse {
  readonly id: string;
  readonly counter: number;
  /** When the sign-in began that it ends. */
  readonly begunAt: number;
  readonly now: number;
}

/** A machine that waits for its person (RFC 8628). */
export interface NewDeviceLogin {
  /** The SHA-256 of what the machine asks with, in hex. Nothing else of it is kept. */
  readonly deviceSha256: string;
  /** What the person enters. */
  readonly userCode: string;
  /** What the machine calls itself. */
  readonly machine: string;
  readonly address: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface DeviceLogin extends Omit<NewDeviceLogin, "deviceSha256"> {
  /** Undefined as long as nobody has decided. */
  readonly decidedAt: number | undefined;
  /** Who has approved it; undefined if it was denied, too. */
  readonly person: number | undefined;
}

/** By what people without a provider sign in (C 27). */
export interface SignInStore {
  /** Whether there is any passkey. */
  hasPasskeys(): Promise<boolean>;
  findPasskey(id: string): Promise<Passkey | undefined>;
  /** The passkeys of a person, newest first. */
  listPasskeys(person: number): Promise<Passkey[]>;
  /** Adds a passkey, unless its id is known or the person has `max`. Returns whether it did. */
  addPasskey(passkey: Passkey, max: number): Promise<boolean>;
  /** Notes a use, unless the passkey was used since that one began: it is a replay then. Returns whether it did. */
  usePasskey(use: PasskeyUse): Promise<boolean>;
  /** Removes a passkey of a person. Returns whether there was one. */
  removePasskey(person: number, id: string): Promise<boolean>;
  /** Adds an invitation in place of a former one for the person. Forgets those that have expired. */
  addInvitation(invitation: Invitation): Promise<void>;
  /** An invitation that has neither been used nor expired. */
  findInvitation(tokenSha256: string, now: number): Promise<Invitation | undefined>;
  /** Uses up an invitation, and adds the passkey that was made with it: both or nothing. Returns whether it did. */
  acceptInvitation(tokenSha256: string, passkey: Passkey, max: number): Promise<boolean>;
  /** Adds a machine, unless `max` wait. Forgets those that have waited for too long. Returns whether it did. */
  addDevice(device: NewDeviceLogin, max: number): Promise<boolean>;
  /** The machine that waits for a decision with a code. */
  findDevice(userCode: string, now: number): Promise<DeviceLogin | undefined>;
  /** Decides about a machine, once. Returns whether it did. */
  decideDevice(
    userCode: string,
    decision: { readonly person: number | undefined; readonly now: number },
  ): Promise<boolean>;
  /** The machine with a code. One that was decided about is forgotten with this. */
  takeDevice(deviceSha256: string, now: number): Promise<DeviceLogin | undefined>;
}
