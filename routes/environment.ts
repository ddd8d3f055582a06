import type { Hono } from "hono";
import type { Caller } from "../core/caller.ts";
import type { Delivery } from "./streamed.ts";

/** What a request carries from one handler to the next. */
export interface Variables {
  requestId: string;
  /** Set once the credential has been checked. */
  caller: Caller | undefined;
  /** How a streamed body fared; settles when it has ended. */
  delivery: Promise<Delivery> | undefined;
}

/** Hono's type parameter. */
export interface Environment {
  Variables: Variables;
}

export type App = Hono<Environment>;
