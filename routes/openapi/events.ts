/** The stream of events (RS 6, C 11). */

import { Scope } from "../../schemas/queries.ts";
import { ENTRY } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { type Json, query, reference, requestHeader, schemaOf } from "./parts.ts";

export const EVENTS: Operation = {
  id: "streamEvents",
  tag: "events",
  summary: "Subscribe to changes as Server-Sent Events",
  description:
    "Events in commit order, until the credential expires. A comment arrives every 15 s.",
  parameters: [
    query("scope", { ...schemaOf(Scope), default: "own" }, "Whose; all needs resources.admin"),
    query("last_event_id", { type: "string" }, "Replay what came after this event"),
    requestHeader("Last-Event-ID", "The same; the header counts", "0b4ee3f6-12"),
  ],
  responses: {
    200: {
      description: "The events, each of them by this schema",
      content: { "text/event-stream": { schema: reference("Event") } },
    },
  },
};

/** The schema of an event. Its data is text, as the stream has it. */
export const EVENT: Json = {
  oneOf: [
    eventOf(
      ["resource.added", "resource.updated", "resource.deleted"],
      {
        allOf: [reference("ResourceEntry"), {
          type: "object",
          properties: {
            version: {
              type: "integer",
              minimum: 1,
              description: "The version that the change has made of the tree, with history",
            },
          },
        }],
      },
      "The record",
    ),
    eventOf(
      ["resource.verdict"],
      {
        type: "object",
        required: ["id", "path", "verdict"],
        properties: {
          id: { type: "integer" },
          path: { type: "string" },
          verdict: { type: "string" },
        },
      },
      "A file with its verdict, which is new, or one of whose waivers is new or has ended",
    ),
    eventOf(
      ["scan.queued", "scan.started", "scan.progress", "scan.finished"],
      reference("Scan"),
      "The scan",
    ),
    eventOf(
      ["reset"],
      { type: "object" },
      "An empty object. The position is gone, and the client must list again",
    ),
  ],
  examples: [{ event: "resource.added", id: "0b4ee3f6-12", data: JSON.stringify(ENTRY) }],
};

function eventOf(names: readonly string[], contentSchema: Json, description: string): Json {
  return {
    type: "object",
    required: ["event", "id", "data"],
    properties: {
      event: { enum: names },
      id: { type: "string" },
      data: { type: "string", contentMediaType: "application/json", contentSchema, description },
    },
  };
}
