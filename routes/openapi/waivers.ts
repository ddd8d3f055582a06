/** The operations on waivers (C 18). */

import {
  enveloped,
  type Json,
  jsonRequestBody,
  type Operation,
  query,
  reference,
} from "./parts.ts";

const WAIVER: Json = enveloped("The waiver", reference("Waiver"));

export const ADD: Operation = {
  summary: "Let content through whatever its verdict is",
  requestBody: jsonRequestBody("WaiverRequest"),
  responses: { 200: WAIVER },
  refusals: [400],
};

export const LIST: Operation = {
  summary: "List waivers, newest first",
  parameters: [
    query("limit", { type: "integer", minimum: 1, maximum: 1000, default: 100 }, "How many"),
    query("before", { type: "integer", minimum: 1 }, "Only waivers with a lower id"),
  ],
  responses: { 200: enveloped("The waivers", reference("WaiverList")) },
  refusals: [400],
};

export const REMOVE: Operation = {
  summary: "Remove a waiver",
  parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
  responses: { 200: WAIVER },
  refusals: [400, 404],
};
