/** The operations on waivers (C 18). */

import { WAIVER as EXAMPLE } from "./examples.ts";
import type { Operation } from "./operation.ts";
import {
  enveloped,
  envelopedWithId,
  idInPath,
  type Json,
  jsonRequestBody,
  pageParameters,
  reference,
} from "./parts.ts";

const WAIVER: Json = enveloped("The waiver", reference("Waiver"));

export const ADD: Operation = {
  id: "addWaiver",
  tag: "verdicts",
  summary: "Let content through whatever its verdict is",
  description: "The content need not be stored yet.",
  requestBody: jsonRequestBody("WaiverRequest", {
    sha256: EXAMPLE.sha256,
    reason: EXAMPLE.reason,
    expires_at: "2099-01-01T00:00:00Z",
  }),
  responses: { 200: envelopedWithId("The waiver", reference("Waiver"), ["removeWaiver"]) },
};

export const LIST: Operation = {
  id: "listWaivers",
  tag: "verdicts",
  summary: "List waivers, newest first",
  description: "Expired ones as well.",
  parameters: pageParameters("waivers"),
  responses: { 200: enveloped("The waivers", reference("WaiverList")) },
};

export const REMOVE: Operation = {
  id: "removeWaiver",
  tag: "verdicts",
  summary: "Remove a waiver",
  parameters: [idInPath("The id of the waiver")],
  responses: { 200: WAIVER },
  refusals: ["ErrWaiversNotFound"],
};
