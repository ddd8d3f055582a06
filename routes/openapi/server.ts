/** The operations at the root of the server (C 1). */

import { contentResponse, enveloped, jsonResponse, type Operation } from "./parts.ts";

export const HEALTH: Operation = {
  summary: "Check that the process answers",
  responses: { 200: enveloped("The process answers", { type: "object" }) },
};

export const READINESS: Operation = {
  summary: "Check that the server can store a file now",
  responses: { 200: enveloped("The server is ready", { type: "object" }) },
  refusals: [503],
};

export const DESCRIPTION: Operation = {
  summary: "Describe the API",
  responses: { 200: jsonResponse("This description", { type: "object" }) },
};

export const METRICS: Operation = {
  summary: "Read metrics in Prometheus's text format",
  responses: { 200: contentResponse("The metrics", { type: "string" }, "text/plain") },
};
