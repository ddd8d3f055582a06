import type {
  CredentialPage,
  CredentialStore,
  DerivedCredential,
  RegisteredCredential,
} from "../../core/credential_store.ts";
import type { Remote } from "../threads/rpc.ts";
import { KEPT_MS } from "./credential_register.ts";
import { toCredential } from "./credential_statements.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

/** How long after its expiry a credential may still be accepted: the leeway of clocks, and more. */
const GRACE_MS = 10 * 60_000;

export interface CredentialStoreParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/** Keeps the register of credentials in the SQLite file of the records. */
export class SqliteCredentialStore implements CredentialStore {
  readonly #parts: CredentialStoreParts;

  constructor(parts: CredentialStoreParts) {
    this.#parts = parts;
  }

  /** Whether a credential is revoked. Another process may have done so just now. */
  readonly isRevoked = (jti: string): boolean => this.#parts.points.isRevoked(jti);

  async add(credential: DerivedCredential, max: number): Promise<boolean> {
    const { writer, commits } = this.#parts;
    const { userId: user, mintedAt: now } = credential;
    const added = await commits.run(async () => {
      await writer.accessRows("forgetCredentials", { before: now - KEPT_MS });
      await writer.accessRows("forgetDerived", { user, before: now - GRACE_MS, max });
      return await writer.accessRows("addDerived", {
        jti: credential.jti,
        user,
        privileges: credential.privileges.join(),
        trees: JSON.stringify(credential.trees),
        quota: credential.quota ?? null,
        label: credential.label ?? null,
        parent: credential.parent,
        now,
        expiry: credential.expiresAt,
        max,
      });
    });
    return added.length > 0;
  }

  find(jti: string): Promise<RegisteredCredential | undefined> {
    const rows = this.#parts.points.accessRows("findCredential", { jti });
    return Promise.resolve(rows.map(toCredential)[0]);
  }

  async list({ userId, limit, ...page }: CredentialPage): Promise<RegisteredCredential[]> {
    const { reader } = this.#parts;
    const before = page.before ?? null;
    const rows = userId === undefined
      ? await reader.accessRows("listCredentials", { limit, before })
      : await reader.accessRows("listCredentialsOf", { user: userId, limit, before });
    return rows.map(toCredential);
  }

  async revoke(jti: string, now: number): Promise<void> {
    const { writer, commits } = this.#parts;
    await commits.run(() => writer.accessRows("revokeCredential", { jti, now }));
  }
}
