import * as v from "valibot";

/** A line of the audit log (C 22). What else is to be said of an action are further properties. */
export const AuditLine = v.looseObject({
  time: v.pipe(v.string(), v.isoTimestamp()),
  user: v.pipe(
    v.optional(v.number()),
    v.description("Who asked for it; absent for the operator, and for the holder of a link"),
  ),
  tree: v.pipe(v.optional(v.number()), v.description("The user whose tree it concerns")),
  user_name: v.pipe(v.optional(v.string()), v.description("The name of user, if it has one")),
  tree_name: v.pipe(v.optional(v.string()), v.description("The name of tree, if it has one")),
  address: v.pipe(v.optional(v.string()), v.description("The network address of the client")),
  action: v.pipe(v.string(), v.description("Such as resources.delete")),
  paths: v.pipe(
    v.array(v.string()),
    v.description("The first of what the request named; more_paths counts the others"),
  ),
  outcome: v.pipe(v.string(), v.description("ok, or the kind of the error")),
  request_id: v.optional(v.string()),
});
export type AuditLine = v.InferOutput<typeof AuditLine>;

/** A page of the audit log, newest first. */
export const AuditList = v.object({
  items: v.array(AuditLine),
  total: v.pipe(v.number(), v.integer(), v.minValue(0)),
  skipped: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.description("How many lines cannot be read, such as one that a crash has cut"),
  ),
  next: v.pipe(
    v.nullable(v.string()),
    v.description("The parameter before of the next page; null at the end"),
  ),
});
export type AuditList = v.InferOutput<typeof AuditList>;
