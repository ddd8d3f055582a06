import type { Json } from "./parts.ts";
import type { Refusal } from "./refusals.ts";

/** The groups of operations, in the order in which a reader meets them. */
export const TAGS = {
  resources: "Files and directories of a tree, named by paths or ids in queries and bodies.",
  files: "Files at their addresses, as browsers, curl and DVC use them.",
  uploads: "Uploads of large files that clients of tus 1.0.0 can resume.",
  events: "What changes in a tree, and how scans proceed.",
  scans: "Scans of stored model files, and their reports.",
  verdicts: "What scans found in content, and waivers, which let content through nevertheless.",
  mirror: "What came in from another hub, and what may.",
  links: "Links, which serve a file or directory without a credential.",
  tokens: "Credentials: which there are, narrower ones for programs, and their end.",
  people: "People and teams: their names, their groups, and the end of what they may do.",
  server: "The server and its host.",
} as const;

/** An operation as the table of routes describes it. The privilege is the table's. */
export interface Operation {
  /** Names it in generated clients. */
  readonly id: string;
  /** Names it for HEAD, if that is of use. */
  readonly headId?: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  /** The replies of success, by status. */
  readonly responses: { readonly [status: number]: Json };
  /** The refusals of its own, besides those that every route has. */
  readonly refusals?: readonly Refusal[];
}
