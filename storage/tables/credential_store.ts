import type { IsRevoked } from "../../core/credential_end.ts";
import type {
  CredentialPage,
  CredentialStore,
  DerivedCredential,
  RegisteredCredential,
} from "../../core/credential_store.ts";
import { KEPT_PER_VALID } from "../../core/settled_time.ts";
import { settledTime } from "./clock.ts";
import {
  type CredentialStatement,
  KEPT_MS,
  parametersOf,
  REGISTER,
  revokeUser,
  toCredential,
} from "./credential_statements.ts";
import { commit, type Statements } from "./dialect.ts";

/** How long after its expiry a credential may still be accepted: the leeway of clocks, and more. */
const GRACE_MS = 10 * 60_000;

/** Keeps the register of credentials in the database of the records. */
export class SqlCredentialStore implements CredentialStore {
  readonly #statements: Statements<CredentialStatement>;
  readonly #settled: () => Promise<void>;
  readonly isRevoked: IsRevoked;

  /**
   * @param settled Resolves when no server takes for valid what was revoked before.
   * @default at once, as servers look for themselves
   */
  constructor(
    statements: Statements<CredentialStatement>,
    isRevoked: IsRevoked,
    settled = () => Promise.resolve(),
  ) {
    this.#statements = statements;
    this.#settled = settled;
    this.isRevoked = isRevoked;
  }

  async add(credential: DerivedCredential, max: number): Promise<boolean> {
    const { userId: user, mintedAt: now } = credential;
    const added = await this.#statements.write(async (run) => {
      const settled = await settledTime({ run }, now);
      await run("forgetCredentials", { before: settled - KEPT_MS });
      await run("forgetDerived", { user, before: settled - GRACE_MS, max });
      const [root] = await run("rootOf", { jti: credential.parent });
      return await run("addDerived", {
        ...parametersOf(credential),
        parent: credential.parent,
        rooted: Number(root?.rooted_at ?? credential.parentIssuedAt),
        max,
        maxKept: max * KEPT_PER_VALID,
      });
    }, REGISTER);
    return added.length > 0;
  }

  async find(jti: string): Promise<RegisteredCredential | undefined> {
    return (await this.#statements.find("findCredential", { jti })).map(toCredential)[0];
  }

  async list({ userId, limit, ...page }: CredentialPage): Promise<RegisteredCredential[]> {
    const before = page.before ?? null;
    const rows = userId === undefined
      ? await this.#statements.read("listCredentials", { limit, before })
      : await this.#statements.read("listCredentialsOf", { user: userId, limit, before });
    return rows.map(toCredential);
  }

  async revoke(jti: string, now: number): Promise<RegisteredCredential> {
    const [row] = await this.#statements.write(async (run) => {
      await run("revokeCredential", { jti, now });
      // Before the commit: a read that fails after it would deny what is done.
      return await run("findCredential", { jti });
    }, REGISTER);
    await this.#settled();
    if (row === undefined) throw new Error(`The revoked credential "${jti}" was not kept`);
    return toCredential(row);
  }

  async revokeUser(user: number, before: number, now: number): Promise<number> {
    const latest = await this.#statements.write(
      (run) => revokeUser(run, { user, before, now }),
      REGISTER,
    );
    await this.#settled();
    return latest;
  }

  async findShort(tokenSha256: string): Promise<RegisteredCredential | undefined> {
    const rows = await this.#statements.find("findShort", { sha256: tokenSha256 });
    return rows.map(toCredential)[0];
  }

  async noteUses(uses: ReadonlyMap<string, number>): Promise<void> {
    const rows = [...uses].map(([jti, at]) => ({ jti, at }));
    await commit(this.#statements, "noteUses", { uses: JSON.stringify(rows) });
  }
}
