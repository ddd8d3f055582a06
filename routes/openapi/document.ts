import { type Privilege, requiredPrivileges } from "../../core/caller.ts";
import { USER_NAMED } from "../../schemas/people.ts";
import { schemas } from "./components.ts";
import { headersOf, REQUEST_ID } from "./headers.ts";
import { type Operation, TAGS } from "./operation.ts";
import { type Json, query } from "./parts.ts";
import { type Refusal, Refusals, type Responses } from "./refusals.ts";

/** A route with what a client needs to know of it. */
export interface DescribedRoute {
  readonly method: string;
  /** In OpenAPI's form, such as `/api/v1/scans/{id}`, or with `{+path}` for the rest of the address. */
  readonly path: string;
  /** The privilege that it needs, or any; without one, it needs no credential. */
  readonly privilege?: Privilege | "any" | undefined;
  /** Whether it takes the parameter `tree`. */
  readonly tree?: boolean | undefined;
  readonly operation: Operation;
}

/** The description of the API (OpenAPI 3.1), for clients and their generators (C 1). */
export function openApi(routes: readonly DescribedRoute[], base = ""): Json {
  const refusals = new Refusals();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    // OpenAPI has no form for a parameter with slashes.
    const methods = paths[route.path.replace("{+", "{")] ??= {};
    const responses = responsesOf(route, refusals);
    methods[route.method.toLowerCase()] = operationOf(route, responses);
    const { headId } = route.operation;
    if (headId === undefined) continue;
    const head = { ...route, operation: { ...route.operation, id: headId } };
    methods.head = operationOf(head, refusals.withoutContent(responses));
  }
  return {
    openapi: "3.1.0",
    info: INFO,
    // Relative to the address of this document.
    servers: [{ url: base === "" ? "/" : base, description: "The server of this description" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description:
            "A credential from `strongroom token`, or from the issuer of the settings. " +
            "Operations name the privileges that it needs as roles.",
        },
      },
      headers: { "X-Request-Id": REQUEST_ID },
      responses: refusals.components,
      schemas: schemas(),
    },
  };
}

const INFO: Json = {
  title: "strongroom",
  version: "1",
  summary: "A file strongroom for people who work with model files.",
  description:
    "Success is a JSON envelope with the status `success` and `data`; files, ZIPs, text, " +
    "events and reports have none. Every refusal is an `Error`, and has changed nothing. " +
    "Each address answers with and without a trailing slash, and each GET answers HEAD as well.",
  license: { name: "MIT", identifier: "MIT" },
};

const TREE = query(
  "tree",
  { type: "string", pattern: USER_NAMED.source },
  "The number or the name of the user in whose tree to act; the caller's own by default",
  "7",
);

/** What any route refuses: an invalid host or framing, a failure, and requests while the server stops. */
const COMMON_REFUSALS: readonly Refusal[] = [
  "ErrResourcesInvalidRequest",
  415,
  "ErrInternal",
  501,
  "ErrUnavailable",
];
const PRIVILEGED_REFUSALS: readonly Refusal[] = [
  "ErrAuthRequired",
  "ErrNotPermitted",
  "ErrTooManyRequests",
];

function responsesOf(
  { privilege, tree = false, operation }: DescribedRoute,
  refusals: Refusals,
): Responses {
  const { responses, refusals: own = [] } = operation;
  const common = privilege === undefined
    ? COMMON_REFUSALS
    : [...COMMON_REFUSALS, ...PRIVILEGED_REFUSALS];
  // Nobody may have the name of the tree.
  const named: readonly Refusal[] = tree ? ["ErrUsersNotFound"] : [];
  const successes = Object.entries(responses).map(([status, response]) => // Replies have the id of the request if they state no other header.
  [status, { headers: headersOf(), ...response }]);
  return { ...Object.fromEntries(successes), ...refusals.of([...own, ...named, ...common]) };
}

function operationOf(
  { privilege, tree = false, operation }: DescribedRoute,
  responses: Responses,
): Json {
  const { id, tag, summary, description, parameters = [], requestBody } = operation;
  const all = tree ? [...parameters, TREE] : parameters;
  const privileges = privilege === undefined || privilege === "any"
    ? []
    : requiredPrivileges(privilege);
  const needs = privilege === "any" ? "Needs a credential." : sentenceOf(privileges);
  const sentences = [...description === undefined ? [] : [description], needs];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: sentences.join("\n\n"),
    security: privilege === undefined ? [] : [{ bearer: privileges }],
    ...(all.length > 0 && { parameters: all }),
    ...(requestBody !== undefined && { requestBody }),
    responses,
  };
}

function sentenceOf(privileges: readonly Privilege[]): string {
  if (privileges.length === 0) return "Needs no credential.";
  const noun = privileges.length === 1 ? "privilege" : "privileges";
  return `Needs the ${noun} ${privileges.join(" and ")}.`;
}
