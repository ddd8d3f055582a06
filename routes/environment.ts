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

/** What a request carries from one handler to the next. */
export interface Variables {
  requestId: string;
  /** Set once the credential has been checked. */
  caller: Caller | undefined;
  /** How a streamed body fared; settles when it has ended. */
  delivery: Promise<Delivery> | undefined;
}

/** Hono's type parameter. */
export interface AppEnvironment {
  Variables: Variables;
}

export type App = Hono<AppEnvironment>;
