import type { SignInStore } from "../../core/people/sign_in_store.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import type {
  CredentialStore,
  MintedCredential,
  RegisteredCredential,
} from "../../core/credential_store.ts";

/** The credentials that were minted or revoked (C 22), and people with by what they sign in (C 27), as the command line uses them. */
export interface CredentialRegister {
  /** Adds a credential, and forgets those that expired long ago. */
  add(credential: MintedCredential): Promise<void>;
  /**
   * Revokes a credential, also one of another issuer, and all that descend from it. Returns false if they were
   * revoked before.
   */
  revoke(jti: string, now: number): boolean | Promise<boolean>;
  readonly people: PeopleStore;
  readonly signIns: SignInStore;
  /** {@link CredentialStore.revokeUser} */
  readonly revokeUser: CredentialStore["revokeUser"];
  /** All credentials, those minted last first. */
  list(): Iterable<RegisteredCredential> | AsyncIterable<RegisteredCredential>;
}
