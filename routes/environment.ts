import type { Hono } from "hono";
import type { Caller } from "../core/caller.ts";

/** How far a streamed body got. */
export interface Delivery {
  /** Bytes handed to the network. */
  readonly bytes: number;
  /** False if the client disconnected or the content failed. */
  readonly complete: boolean;
  /** Why the content failed, if it did. */
  readonly error?: unknown;
}

/** What middleware and handlers of a request share. */
export interface Variables {
  requestId: string;
  /** Set when the credential has been verified. */
  caller: Caller | undefined;
  /** Resolves when a streamed body has ended. */
  delivery: Promise<Delivery> | undefined;
}

/** Hono's type parameter for the app. */
export interface AppEnvironment {
  Variables: Variables;
}

export type App = Hono<AppEnvironment>;
