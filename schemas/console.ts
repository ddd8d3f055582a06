import * as v from "valibot";

/** The body of a request to sign in to the console (C 24). Unknown keys are ignored (C 3). */
export const SignInRequest = v.object({ credential: v.string() });

/** Who is signed in to the console, and what the credential permits. */
export interface ConsoleSession {
  /** What requests of the page name the session by. */
  readonly name: string;
  readonly user_id: number;
  /** Null if nobody is known by this number. */
  readonly user_name: string | null;
  /** Whether the person is signed in itself, and not a credential. */
  readonly is_person: boolean;
  /** Whether the person signs in by the provider, and so has no passkeys here. */
  readonly of_provider: boolean;
  readonly privileges: readonly string[];
  /** The privileges in the trees of other users, by user (C 19). */
  readonly trees: Readonly<Record<string, readonly string[]>>;
  /** The names of those users, as far as they have one. */
  readonly tree_names: Readonly<Record<string, string>>;
  /** How long the server keeps what changes take away, in milliseconds; 0 without history (C 26). */
  readonly history_ms: number;
  /** Whether the server mirrors another hub (C 28). */
  readonly has_mirror: boolean;
  /** When the credential expires: UTC, with milliseconds. */
  readonly expires_at: string;
}

/** A session of the console, as its user sees it. Times are UTC, with milliseconds. */
export interface SessionEntry {
  readonly name: string;
  /** How the person has signed in. */
  readonly means: "credential" | "passkey" | "provider";
  /** What the browser called itself. */
  readonly browser: string | null;
  /** The address of the browser when the session began. */
  readonly address: string | null;
  readonly created_at: string;
  /** Up to a minute late. */
  readonly last_used_at: string;
  readonly is_current: boolean;
}
