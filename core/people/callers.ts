import type { Caller } from "../caller.ts";
import type { SignedInPerson } from "../console_sessions.ts";
import type { IsOver } from "../credential_end.ts";
import type { VerifyCredential } from "../credentials.ts";
import { AppError } from "../errors.ts";
import { type Rights, type RightsOf, within } from "./rights.ts";
import type { PeopleStore } from "./store.ts";

/** How long what a person may do is believed, in milliseconds. That it is disabled is known at once. */
const FRESH_MS = 1000;
/** The most people that are remembered. */
const MAX_REMEMBERED = 10_000;

export interface PeopleParts {
  readonly people: Pick<PeopleStore, "findByNumber">;
  readonly rightsOf: RightsOf;
}

/** Makes callers of people, and keeps what they have minted within what they may do now (C 27). */
export class PersonCallers {
  readonly #parts: PeopleParts;
  readonly #known = new Map<number, { readonly rights: Promise<Rights>; readonly at: number }>();

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  /**
   * The caller of a person who is signed in.
   *
   * @throws {AppError} `ErrAuthRequired` when the person was disabled, all its credentials were revoked, or the
   *   server has a new secret.
   */
  async signedIn(
    { userId, since: issuedAt, until: expiresAt, keyId }: SignedInPerson,
    isOver: IsOver,
  ): Promise<Caller> {
    if (await isOver({ userId, issuedAt, keyId })) {
      throw new AppError("ErrAuthRequired", "The session was ended for you");
    }
    const rights = await this.#rights(userId);
    return { userId, ...rights, issuedAt, keyId, expiresAt, isPerson: true, isBound: true };
  }

  /** The caller of a credential. One that a person has minted may do no more than the person may now. */
  async bounded(caller: Caller): Promise<Caller> {
    if (caller.isBound !== true) return caller;
    return { ...caller, ...within(await this.#rights(caller.userId), caller) };
  }

  #rights(number: number): Promise<Rights> {
    const now = performance.now();
    const known = this.#known.get(number);
    if (known !== undefined && now - known.at < FRESH_MS) return known.rights;
    const rights = this.#read(number);
    // A failure is not remembered.
    rights.catch(() => this.#known.delete(number));
    this.#known.delete(number);
    this.#known.set(number, { rights, at: now });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    return rights;
  }

  async #read(number: number): Promise<Rights> {
    const { people, rightsOf } = this.#parts;
    const person = await people.findByNumber(number);
    return person?.kind === "person"
      ? await rightsOf(person)
      : { privileges: new Set<string>(), trees: new Map() };
  }
}

/** Verifies credentials, and keeps what a person has minted within what the person may do now. */
export function boundedVerifier(
  verify: VerifyCredential,
  callers: PersonCallers,
): VerifyCredential {
  return async (token) => await callers.bounded(await verify(token));
}

/** Finds access keys, and keeps what a person has minted within what the person may do now. */
export function boundedKeys<Holder extends { readonly caller: Caller }>(
  find: (id: string) => Promise<Holder | undefined>,
  callers: PersonCallers,
): (id: string) => Promise<Holder | undefined> {
  return async (id) => {
    const found = await find(id);
    return found && { ...found, caller: await callers.bounded(found.caller) };
  };
}
