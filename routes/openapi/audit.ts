/** The operation on the audit log (C 22). */

import { USER_NAMED } from "../../schemas/people.ts";
import { PAGE } from "../../schemas/queries.ts";
import type { Operation } from "./operation.ts";
import { enveloped, integerQuery, query, reference } from "./parts.ts";

const text = { type: "string" };
const USER = { type: "string", pattern: USER_NAMED.source };
const time = { type: "string", format: "date-time" };

export const LIST: Operation = {
  id: "listAudit",
  tag: "server",
  summary: "Read the audit log, newest line first",
  description:
    "All lines with resources.admin; else those of the caller's user, in trees that the credential may " +
    "view. A page ends after 4 MiB of the log or 1 MiB of lines, so it may have few lines, or none, " +
    "before the end.",
  parameters: [
    query("user", USER, "Lines of this user, by number or name; others need resources.admin"),
    query("tree", USER, "Lines about the tree of this user, by number or name"),
    query("action", text, "Lines about this action", "resources.delete"),
    query("outcome", text, "Lines with this outcome: ok, or the kind of an error"),
    query("path", text, "Lines with a path that begins like this", "models/"),
    query("since", time, "Lines at this time or later", "2026-11-22T09:00:00Z"),
    query("until", time, "Lines before this time"),
    integerQuery("limit", PAGE.limit, "How many lines to list"),
    query("before", text, "Only lines before this place: the next of a page"),
  ],
  responses: { 200: enveloped("The lines", reference("AuditList")) },
  refusals: ["ErrAuditNotKept", "ErrUsersNotFound"],
};
