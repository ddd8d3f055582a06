/** The operations at the root of the server (C 1), and the capacity of its host (C 14). */

import type { Operation } from "./operation.ts";
import { contentResponse, enveloped, type Json, jsonResponse, reference } from "./parts.ts";

const flag = (name: string): Json => ({
  type: "object",
  required: [name],
  properties: { [name]: { const: true } },
});

export const HEALTH: Operation = {
  id: "checkHealth",
  tag: "server",
  summary: "Check that the process answers",
  responses: { 200: enveloped("The process answers", flag("healthy")) },
};

export const READINESS: Operation = {
  id: "checkReadiness",
  tag: "server",
  summary: "Check that the server can store a file now",
  responses: { 200: enveloped("The server is ready", flag("ready")) },
};

export const DESCRIPTION: Operation = {
  id: "describeApi",
  tag: "server",
  summary: "Describe the API",
  responses: { 200: jsonResponse("This description", { type: "object" }) },
};

export const METRICS: Operation = {
  id: "getMetrics",
  tag: "server",
  summary: "Read metrics in Prometheus's text format",
  description: "The setting STRONGROOM_METRICS=open lifts the need for a credential.",
  responses: { 200: contentResponse("The metrics", { type: "string" }, "text/plain") },
};

export const CAPACITY: Operation = {
  id: "getCapacity",
  tag: "server",
  summary: "Show how much the host can carry now",
  responses: { 200: enveloped("The overview", reference("CapacityOverview")) },
};

export const CAPACITY_HISTORY: Operation = {
  id: "getCapacityHistory",
  tag: "server",
  summary: "Show how much the host carried over the last hour",
  description: "A server keeps this in memory, since its start at most. Of several servers, the " +
    "one that replies tells of its own host.",
  responses: { 200: enveloped("The readings", reference("CapacityHistory")) },
};
