/** The operations on what trees hold (C 22, C 24). */

import { Scope } from "../../schemas/queries.ts";
import type { Operation } from "./operation.ts";
import { enveloped, type Json, query, reference, schemaOf } from "./parts.ts";

const SCOPE: Json = query(
  "scope",
  { ...schemaOf(Scope), default: "own" },
  "Whose; all needs resources.admin",
);

export const USAGE: Operation = {
  id: "getUsage",
  tag: "resources",
  summary: "Read what a tree holds, or all trees together",
  parameters: [SCOPE],
  responses: { 200: enveloped("The usage, in bytes", reference("Usage")) },
};

export const ENTRIES: Operation = {
  id: "getEntryShares",
  tag: "resources",
  summary: "Read what the entries of a directory take, each with all below it",
  description:
    "The 100 largest come one by one, the others together. Without `tree`, it is about " +
    "the caller's own tree. All records below the directory are read, one such request at a time.",
  parameters: [
    query("path", { type: "string" }, "The directory; the root by default", "models"),
  ],
  responses: { 200: enveloped("The entries, the largest first", reference("EntryShares")) },
  refusals: ["ErrResourcesNotFound"],
};

export const EXTENSIONS: Operation = {
  id: "getExtensionShares",
  tag: "resources",
  summary: "Read what files take by the extensions of their names, in a tree or in all",
  description: "The 100 that take the most come one by one, the others together. An extension is " +
    "what follows the last dot of a name, up to 16 characters.",
  parameters: [SCOPE],
  responses: { 200: enveloped("The extensions", reference("ExtensionShares")) },
};

export const USERS: Operation = {
  id: "getUserShares",
  tag: "resources",
  summary: "Read what the tree of each user holds",
  description: "The 100 that hold the most come one by one, the others together.",
  responses: { 200: enveloped("The users", reference("UserShares")) },
};
