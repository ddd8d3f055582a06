import * as v from "valibot";
import { closedObject, listOf, mapOf, openObject } from "./containers.ts";
import { finite, flag, integer, maybeNull, oneOf, orNull, text, type Written } from "./values.ts";

/** The severity of a failed check or an issue (SR 2.4). */
export const Severity = oneOf("debug", "info", "warning", "critical");
export type Severity = Written<typeof Severity>;

/** The outcome of a check (SR 2.3). */
export const CheckStatus = oneOf("passed", "failed", "skipped");
export type CheckStatus = Written<typeof CheckStatus>;

/** An object with any properties. */
const anything = mapOf(v.unknown());

/** SR 2.2. */
export const Asset = closedObject({
  path: text,
  /** Format name. */
  type: text,
  /** Bytes. */
  size: maybeNull(integer),
  is_streamed: maybeNull(flag),
  /** Tensor names. */
  tensors: maybeNull(listOf(text)),
  /** Keys of a manifest. */
  keys: maybeNull(listOf(text)),
  /** Members of an archive. */
  contents: maybeNull(listOf(anything)),
});
export type Asset = Written<typeof Asset>;

/** SR 2.3. */
export const ReportCheck = openObject({
  name: text,
  status: CheckStatus,
  message: text,
  severity: orNull(Severity),
  location: orNull(text),
  details: v.optional(anything, {}),
  why: orNull(text),
  rule_code: orNull(text),
  /** Seconds since the Unix epoch (C 16). */
  timestamp: v.optional(finite),
});
export type ReportCheck = Written<typeof ReportCheck>;

/** SR 2.4. */
export const Issue = openObject({
  message: text,
  severity: v.optional(Severity, "warning"),
  location: orNull(text),
  details: v.optional(anything, {}),
  why: orNull(text),
  /** Seconds since the Unix epoch (C 16). */
  timestamp: v.optional(finite),
  type: orNull(text),
  rule_code: orNull(text),
});
export type Issue = Written<typeof Issue>;
