import { type Privilege, requirePermission } from "../../core/caller.ts";
import { quoted } from "../../core/errors.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { KIB } from "../../schemas/units.ts";
import { authenticated } from "./authenticate.ts";
import { SignedBody } from "./body.ts";
import type { Handled, Target } from "./target.ts";

/** An operation of S3. Its request is known by its method, its parameters and maybe a header. */
export interface S3Operation {
  /** As Amazon names it. */
  readonly name: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly on: "service" | "bucket" | "object";
  /** The parameters that it is known by. @default none */
  readonly by?: readonly string[];
  /** A header that it is known by. @default none */
  readonly header?: string;
  /** The parameters that it has besides. @default none */
  readonly parameters?: readonly string[];
  /** The privilege that it needs in the tree. @default a credential is enough */
  readonly privilege?: Privilege;
  /** Whether it reads the body of its request. @default false: a body must be as signed, and is ignored */
  readonly readsBody?: boolean;
  readonly handle: (
    c: Handled,
    services: Services,
    target: Target,
  ) => Response | Promise<Response>;
}

const LEVELS = { service: "the list of buckets", bucket: "a bucket", object: "an object" } as const;

/** Parameters of all operations: those of signatures, and what some clients add. */
const COMMON = /^(?:X-Amz-|x-id$)/i;

/** What serves a request by the operation that it is for. */
export function dispatch(operations: readonly S3Operation[]) {
  const byAddress = Map.groupBy(operations, ({ method, on }) => `${method} ${on}`);
  return async (c: Handled, services: Services): Promise<Response> => {
    const { target } = authenticated(c.req.raw);
    const { method } = c.req;
    const operation = operationOf(method, target, byAddress.get(`${method} ${levelOf(target)}`));
    if (operation.privilege !== undefined) requirePermission(callerOf(c), operation.privilege);
    if (operation.readsBody !== true && hasBody(target)) {
      await new SignedBody(c, UNREAD_BODY).bytes();
    }
    return await operation.handle(c, services, target);
  };
}

/** Some clients send a line of XML where none is expected. */
const UNREAD_BODY = { maxBytes: 64 * KIB, withinMs: 60_000 };

function hasBody({ headers }: Target): boolean {
  const length = headers.get("Content-Length");
  return length === null ? headers.has("Transfer-Encoding") : length !== "0";
}

function levelOf({ bucket, key }: Target): S3Operation["on"] {
  if (bucket === undefined) return "service";
  return key === undefined ? "bucket" : "object";
}

/** @throws {S3Error} `NotImplemented` when the request is for none of them. */
function operationOf(
  method: string,
  target: Target,
  operations: readonly S3Operation[] = [],
): S3Operation {
  const { query, headers } = target;
  const names = query.size === 0 ? [] : [...query.keys()].filter((name) => !COMMON.test(name));
  const candidates = operations.filter(({ by = [], header }) =>
    by.every((name) => query.has(name)) && (header === undefined || headers.has(header))
  );
  const known = (operation: S3Operation, name: string) =>
    [...operation.by ?? [], ...operation.parameters ?? []].includes(name);
  const found = candidates.find((it) => names.every((name) => known(it, name)));
  if (found !== undefined) return found;
  const [closest] = candidates.toSorted((a, b) => (b.by?.length ?? 0) - (a.by?.length ?? 0));
  const unknown = names.find((name) => closest === undefined || !known(closest, name));
  throw new S3Error(
    "NotImplemented",
    unknown === undefined
      ? `${method} is not offered for ${LEVELS[levelOf(target)]}`
      : `The parameter ${quoted(unknown)} is not offered here`,
  );
}
