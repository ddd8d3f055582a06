import type { Hono } from "hono";
import type { AuditDetails } from "../../core/audit.ts";
import type { Caller } from "../../core/caller.ts";
import type { OpenSession } from "../../core/console_sessions.ts";
import type { AppError } from "../../core/errors.ts";
import type { Grant } from "../../schemas/hub_lfs.ts";

/** How far a streamed body got. */
export interface Delivery {
  /** Bytes handed to the network. */
  readonly bytes: number;
  /** False if the client disconnected or the content failed. */
  readonly complete: boolean;
  /** Why the content failed, if it did. */
  readonly error?: unknown;
}

/** What a request changes, for the audit log. */
export interface AuditedChange {
  /** What the request named, or the files that it stored. */
  readonly paths: readonly string[];
  /** The user whose tree it concerns. @default the one that the caller acts in */
  readonly tree?: number;
  /** How many records have changed, by owner. @default none yet */
  readonly records?: ReadonlyMap<number, number>;
  readonly details?: AuditDetails;
  /** Whether it is a step of a change, which is recorded only if it fails. @default false */
  readonly isStep?: boolean;
  /** Whether its outcome is known when its reply has ended, and not before. @default false */
  readonly isLate?: boolean;
}

/** A refusal that was sent. */
export interface Failure extends Pick<AppError, "kind" | "message"> {
  /** The rule of the policy that refuses. @default none does */
  readonly rule?: string | undefined;
}

/** What middleware and handlers of a request share. */
export interface Variables {
  requestId: string;
  /** Set when the credential has been verified. */
  caller: Caller | undefined;
  /** The session of the console that the request belongs to. */
  session: Pick<OpenSession, "name" | "hasEnded"> | undefined;
  /** What the signed address of the request permits, once it has been verified. */
  grant: Grant | undefined;
  /** The token of the link that the request follows. */
  linkToken: string | undefined;
  /** The network address of the client, if it is known. */
  address: string | undefined;
  /** The refusal that was sent. */
  failure: Failure | undefined;
  audited: AuditedChange | undefined;
  /** Headers that were added to the reply. */
  headers: Readonly<Record<string, string>> | undefined;
  /** The size of a body that is not streamed. */
  bytes: number | undefined;
  /** Resolves when a streamed body has ended. */
  delivery: Promise<Delivery> | undefined;
}

/** Hono's type parameter for the app. */
export interface AppEnvironment {
  /** What the runtime knows of the connection. */
  Bindings: { readonly remoteAddr?: Deno.Addr } | undefined;
  Variables: Variables;
}

export type App = Hono<AppEnvironment>;
