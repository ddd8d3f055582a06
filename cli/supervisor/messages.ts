/** The messages between the supervisor and the server, over the server's stdin and stdout. */

import * as v from "valibot";
import { MIB } from "../../schemas/units.ts";
import type { FrameLimits } from "../../storage/scanners/frames.ts";
import type { ProcessEnd } from "../../storage/scanners/processes.ts";
import { MAX_SENT_BYTES } from "../../storage/scanners/requests.ts";

/** A message that carries a whole request to a scanner, or a piece of its output. */
export const CHANNEL_LIMITS: FrameLimits = {
  maxHeaderBytes: MIB,
  maxBodyBytes: MAX_SENT_BYTES + 2 * MIB,
};

/** The server sends a sign of life this often while its event loop turns. */
export const HEARTBEAT_INTERVAL_MS = 1000;

const id = v.pipe(v.number(), v.safeInteger());
const milliseconds = v.pipe(v.number(), v.minValue(0));
const megabytes = v.pipe(v.number(), v.minValue(1), v.maxValue(2 ** 40));

/** A message of the server. */
export const ServerMessage = v.variant("kind", [
  v.object({ kind: v.literal("alive") }),
  /** It serves, so a later death is not a failure to start. */
  v.object({ kind: v.literal("serving") }),
  /** It stops in order, so it is not to be started again. */
  v.object({ kind: v.literal("stopping") }),
  /** It stops in order, so that another one reads what it could not reload. */
  v.object({ kind: v.literal("renewing") }),
  v.object({ kind: v.literal("start"), id, memoryMB: megabytes }),
  /** The body is for the stdin of the process. */
  v.object({ kind: v.literal("send"), id }),
  v.object({ kind: v.literal("limit"), id, maxMB: megabytes, maxCpuMs: milliseconds }),
  v.object({ kind: v.literal("kill"), id }),
]);
export type ServerMessage = v.InferOutput<typeof ServerMessage>;

/** A message of the supervisor. */
export type SupervisorMessage =
  /** The body is what the process wrote to its stdout. */
  | { readonly kind: "output"; readonly id: number }
  | { readonly kind: "ended"; readonly id: number; readonly end: ProcessEnd }
  /** The limits of the container; null for none. */
  | { readonly kind: "limits"; readonly limits: Readonly<Record<LimitName, number | null>> };

type LimitName = "cores" | "memoryBytes" | "availableBytes";
