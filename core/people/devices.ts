import { createHash, randomBytes, randomInt } from "node:crypto";
import { AppError, quoted, RetryLater } from "../errors.ts";
import type { DeviceLogin, SignInStore } from "./sign_in_store.ts";

/** How long a code waits for its person, and how often the machine may ask, in seconds. */
export const CODE_S = 600;
export const INTERVAL_S = 5;
/** The most codes that wait at once: anybody can ask for one. */
const MAX_WAITING = 10_000;
/** Letters that are no vowels, as words might be rude, and none that is taken for another (RFC 8628, 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;
const MACHINE = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** A machine that waits for its person (RFC 8628). */
export interface WaitingDevice {
  /** What the machine asks with. */
  readonly deviceCode: string;
  /** What the person enters, such as `WDJB-MJHT`. */
  readonly userCode: string;
}

/**
 * Begins to log in a machine.
 *
 * @param machine What it calls itself.
 * @throws {AppError} `ErrResourcesInvalidRequest` when that is no name.
 * @throws {RetryLater} when too many wait.
 */
export async function beginDevice(
  store: Pick<SignInStore, "addDevice">,
  machine: string,
  address: string | undefined,
): Promise<WaitingDevice> {
  if (!MACHINE.test(machine)) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid name of a machine: ${quoted(machine)}`,
    );
  }
  const deviceCode = randomBytes(32).toString("base64url");
  const userCode = newCode();
  const createdAt = Date.now();
  const device = {
    deviceSha256: sha256(deviceCode),
    ...{ userCode, machine, address, createdAt },
    expiresAt: createdAt + CODE_S * 1000,
  };
  if (await store.addDevice(device, MAX_WAITING)) return { deviceCode, userCode: shown(userCode) };
  throw new RetryLater("ErrTooManyRequests", "Too many machines wait for their people", 60);
}

/**
 * The machine that waits with a code, as a person has entered it.
 *
 * @throws {AppError} `ErrLoginsNotFound` when none does.
 */
export async function findDevice(
  store: Pick<SignInStore, "findDevice">,
  entered: string,
): Promise<DeviceLogin> {
  const code = entered.toUpperCase().replaceAll(/[^A-Z]/g, "");
  const found = await store.findDevice(code, Date.now());
  if (found !== undefined) return found;
  throw new AppError(
    "ErrLoginsNotFound",
    `No machine waits with the code ${quoted(entered)}: it may have waited for too long`,
  );
}

/** What a machine hears when it asks. */
export type DeviceAnswer = { readonly kind: "pending" | "denied" | "over" } | ApprovedDevice;

/** A machine whose person has approved it. */
export interface ApprovedDevice {
  readonly kind: "approved";
  /** The number of the person. */
  readonly person: number;
  /** When it has done so, in milliseconds. */
  readonly at: number;
  readonly machine: string;
}

/** Answers a machine that asks. An answer other than `pending` is given once. */
export async function askedByDevice(
  store: Pick<SignInStore, "takeDevice">,
  deviceCode: string,
): Promise<DeviceAnswer> {
  const found = await store.takeDevice(sha256(deviceCode), Date.now());
  if (found === undefined) return { kind: "over" };
  const { decidedAt, person, machine } = found;
  if (decidedAt === undefined) return { kind: "pending" };
  if (person === undefined) return { kind: "denied" };
  return { kind: "approved", person, at: decidedAt, machine };
}

function newCode(): string {
  let code = "";
  while (code.length < CODE_LENGTH) code += LETTERS.charAt(randomInt(LETTERS.length));
  return code;
}

function shown(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
