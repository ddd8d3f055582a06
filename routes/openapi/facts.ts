/** The operations on what content says of itself (C 29). */

import { headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { AT, contentResponse, enveloped, ID, query, reference } from "./parts.ts";

/** The media type of bills of materials. */
export const CYCLONE_DX = "application/vnd.cyclonedx+json";

const VERSION = headersOf([], ["X-Version"]);

export const BOM: Operation = {
  id: "showBillOfMaterials",
  tag: "resources",
  summary: "Make a bill of materials of a model in CycloneDX 1.6",
  description:
    "A component for each of up to 10 000 files with its hashes and its verdict, the model itself with license, " +
    "model card and base models, and the worst findings of the last scans as vulnerabilities.",
  parameters: [
    query("path", { type: "string" }, "A path", "models/llama"),
    query("id", ID, "The id of a record, in place of a path"),
    AT,
  ],
  responses: {
    200: {
      ...contentResponse("The document, without an envelope", { type: "object" }, CYCLONE_DX),
      headers: VERSION,
    },
  },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};

export const SIGNATURE: Operation = {
  id: "showSignature",
  tag: "resources",
  summary: "Verify the signature on a file, or on a directory with all below it",
  description:
    "By the bundle model.sig of OpenSSF Model Signing that is nearest: beside a file, in a directory, or above it. " +
    "The digests of files are those that are kept; nothing is read again.",
  parameters: [
    query("path", { type: "string" }, "A path", "models/llama"),
    query("id", ID, "The id of a record, in place of a path"),
    AT,
  ],
  responses: {
    200: { ...enveloped("The signature", reference("Signature")), headers: VERSION },
  },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound", "ErrNotOffered"],
};

export const FACTS: Operation = {
  id: "showFacts",
  tag: "resources",
  summary: "Show what a file or a directory says of itself",
  description:
    "Format, tensors, architecture, license and the like, as scans have found them. Those of a directory are " +
    "those of its files put together: what its card and its configuration say counts first, and of weights that " +
    "are there several times, one copy is counted.",
  parameters: [
    query("path", { type: "string" }, "A path", "models/llama"),
    query("id", ID, "The id of a record, in place of a path"),
    AT,
  ],
  responses: {
    200: { ...enveloped("The facts", reference("Facts")), headers: VERSION },
  },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};
