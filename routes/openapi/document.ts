import { type Privilege, requiredPrivileges } from "../../core/caller.ts";
import { CapacityOverview } from "../../schemas/capacity.ts";
import { LinkEntry, LinkList, LinkRequest, NewLinkEntry } from "../../schemas/links.ts";
import { reportJsonSchemas } from "../../schemas/report/report.ts";
import {
  MkdirResourceRequest,
  ResourceEntry,
  ResourceList,
  TransferResourceRequest,
} from "../../schemas/resources.ts";
import { ScanEntry, ScanRequest } from "../../schemas/scans.ts";
import {
  StatEntry,
  VerdictEntry,
  VerdictList,
  WaiverEntry,
  WaiverList,
  WaiverRequest,
} from "../../schemas/verdicts.ts";
import {
  componentPath,
  ID,
  type Json,
  type Operation,
  query,
  reference,
  type Refusal,
  refusalResponses,
  schemaOf,
} from "./parts.ts";

/** A route with what a client needs to know of it. */
export interface DescribedRoute {
  readonly method: string;
  /** In OpenAPI's form, such as `/api/v1/scans/{id}`, or with `{+path}` for the rest of the address. */
  readonly path: string;
  /** The privilege that it needs; without one, it needs no credential. */
  readonly privilege?: Privilege | undefined;
  /** Whether it takes the parameter `tree`. */
  readonly tree?: boolean | undefined;
  readonly operation: Operation;
}

/** The description of the API (OpenAPI 3.1), for clients and their generators (C 1). */
export function openApi(routes: readonly DescribedRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    // OpenAPI has no form for a parameter with slashes.
    const path = route.path.replace("{+", "{");
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "strongroom",
      version: "1",
      description: "A file strongroom for people who work with model files.",
      license: { name: "MIT", identifier: "MIT" },
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      schemas: schemas(),
    },
  };
}

const TREE = query("tree", ID, "The user in whose tree to act; the caller's own by default");

function operationOf({ privilege, tree = false, operation }: DescribedRoute): Json {
  const { responses, parameters = [], refusals = [], ...rest } = operation;
  const all = tree ? [...parameters, TREE] : parameters;
  const common: Refusal[] = privilege === undefined ? [] : [401, 403, 429, 500, 503];
  return {
    ...rest,
    ...(all.length > 0 && { parameters: all }),
    ...(privilege !== undefined && {
      description: privilegeSentence(requiredPrivileges(privilege)),
      security: [{ bearer: [] }],
    }),
    responses: {
      ...responses,
      ...refusalResponses([...refusals, ...tree ? [400 as const] : [], ...common]),
    },
  };
}

function privilegeSentence(privileges: readonly Privilege[]): string {
  const noun = privileges.length === 1 ? "privilege" : "privileges";
  return `Needs the ${noun} ${privileges.join(" and ")}.`;
}

function schemas(): Record<string, Json> {
  return {
    ResourceEntry: schemaOf(ResourceEntry),
    ResourceList: { ...schemaOf(ResourceList), ...listOf("ResourceEntry") },
    MkdirResourceRequest: schemaOf(MkdirResourceRequest),
    MoveResourceRequest: schemaOf(TransferResourceRequest),
    CopyResourceRequest: schemaOf(TransferResourceRequest),
    Stat: schemaOf(StatEntry),
    Verdict: schemaOf(VerdictEntry),
    VerdictList: { ...schemaOf(VerdictList), ...listOf("Verdict") },
    Waiver: schemaOf(WaiverEntry),
    WaiverList: { ...schemaOf(WaiverList), ...listOf("Waiver") },
    WaiverRequest: schemaOf(WaiverRequest),
    Link: schemaOf(LinkEntry),
    NewLink: schemaOf(NewLinkEntry),
    LinkList: schemaOf(LinkList),
    LinkRequest: schemaOf(LinkRequest),
    CapacityOverview: schemaOf(CapacityOverview),
    Scan: schemaOf(ScanEntry),
    ScanList: { type: "object", required: ["items", "total"], ...listOf("Scan") },
    ScanRequest: schemaOf(ScanRequest),
    ...reportJsonSchemas(componentPath),
    Violation: strings({
      path: "Where, such as issues[3].severity",
      message: "What is allowed there, and what was found",
    }),
    Error: {
      type: "object",
      required: ["status", "code", "msg"],
      properties: {
        status: { const: "error" },
        code: { type: "string", description: "The kind of the error, such as ErrNotPermitted" },
        msg: { type: "string", description: "What was wrong, for a person" },
      },
    },
  };
}

function listOf(name: string): Json {
  return {
    properties: {
      items: { type: "array", items: reference(name) },
      total: { type: "integer", minimum: 0 },
    },
  };
}

/** An object of strings, all required. */
function strings(descriptions: Readonly<Record<string, string>>): Json {
  return {
    type: "object",
    required: Object.keys(descriptions),
    properties: Object.fromEntries(
      Object.entries(descriptions).map(([name, description]) => [name, {
        type: "string",
        description,
      }]),
    ),
  };
}
