/** The operations on credentials (C 22). */

import { USER_NAMED } from "../../schemas/people.ts";
import { PAGE } from "../../schemas/queries.ts";
import { REVOCATION, TOKEN, USER } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { namedInPath } from "./people.ts";
import { enveloped, integerQuery, type Json, jsonRequestBody, query, reference } from "./parts.ts";

const TOKEN_ID: Json = {
  name: "jti",
  in: "path",
  required: true,
  schema: { type: "string", minLength: 1, maxLength: 256 },
  description: "The id of the credential",
  example: TOKEN.jti,
};

export const MINT: Operation = {
  id: "mintToken",
  tag: "tokens",
  summary: "Mint a credential for oneself that permits no more than the one of the request",
  description:
    "It is revoked together with the credential of the request, which must have a jti. A user may " +
    "have 1000 such credentials that have not expired.",
  requestBody: jsonRequestBody("TokenRequest", {
    privileges: ["resources.view"],
    expires_in: "7d",
    label: "nightly sync",
  }),
  responses: { 200: enveloped("The credential, with its token", reference("NewToken")) },
  refusals: ["ErrTokensNotIssued", "ErrUsersNotFound"],
};

export const LIST: Operation = {
  id: "listTokens",
  tag: "tokens",
  summary: "List credentials that were minted or revoked, newest first",
  description:
    "Those of the caller's user; of all users and other issuers with resources.admin. Tokens are not " +
    "kept. A credential is listed for 30 days after it has expired.",
  parameters: [
    query(
      "user",
      { type: "string", pattern: USER_NAMED.source },
      "Whose, by number or name; those of other users need resources.admin",
    ),
    integerQuery("limit", PAGE.limit, "How many credentials to list"),
    query("before", { type: "string" }, "Only those after this jti: the last one of a page"),
  ],
  responses: { 200: enveloped("The credentials", reference("TokenList")) },
  refusals: ["ErrTokensNotFound", "ErrUsersNotFound"],
};

export const REVOKE: Operation = {
  id: "revokeToken",
  tag: "tokens",
  summary: "Revoke a credential, and those that descend from it",
  description:
    "One's own, those of one's user that permit no more than that, and with resources.admin any. " +
    "It does no harm to repeat it.",
  parameters: [TOKEN_ID],
  responses: { 200: enveloped("The credential", reference("Token")) },
  refusals: ["ErrTokensNotFound"],
};

export const REVOKE_USER: Operation = {
  id: "revokeUser",
  tag: "tokens",
  summary: "Revoke all credentials of a user that were issued before a time",
  description:
    "Those of other issuers and those without a jti, too; what they have minted, their links, signed " +
    "addresses and streams end with them. A credential that does not say when it was issued counts as " +
    "older than any. An earlier revocation stays.",
  parameters: [namedInPath("The number or the name of the user", USER.name)],
  requestBody: {
    ...jsonRequestBody("RevocationRequest", { before: REVOCATION.before }),
    required: false,
  },
  responses: { 200: enveloped("Which credentials are refused", reference("Revocation")) },
  refusals: ["ErrUsersNotFound"],
};
