import type { AppError, ErrorKind } from "../../core/errors.ts";
import type { WantedObject } from "../../core/hub/lfs_batch.ts";
import type { LfsPointer } from "../../core/lfs_objects.ts";
import type { LfsObject } from "../../schemas/hub_lfs.ts";
import { respond } from "../reply/respond.ts";
import { auditChange } from "../serving/audit.ts";
import type { Handled } from "./replies.ts";

const CONTENT_TYPE = "application/vnd.git-lfs+json";

/** The codes of refused objects (Git LFS, batch API). */
const OBJECT_CODES: { readonly [Kind in ErrorKind]?: number } = {
  ErrHubEntryNotFound: 404,
  ErrHubRepositoryNotFound: 404,
  ErrResourcesQuarantined: 403,
  ErrResourcesRefused: 403,
  ErrResourcesQuotaExceeded: 507,
  // A full disk.
  ErrInternal: 507,
};
/** That of any other one: what it states is invalid. */
const INVALID_OBJECT = 422;

const encoder = new TextEncoder();

/** Where an object is transferred. */
export interface Action {
  readonly href: string;
  readonly expires_at?: string;
}

/** What is to be done for an object of a batch. */
export interface BatchItem extends LfsObject {
  readonly actions?: Readonly<Record<string, Action>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Objects that a client wants to download. */
export interface WantedObjects {
  readonly objects: readonly LfsObject[];
  /** Where each of them is. */
  readonly wanted: readonly WantedObject[];
  /** Where one that is not refused is downloaded. */
  readonly addressOf: (object: LfsObject, index: number) => Action;
  /** The user whose tree has them. @default the one that the caller acts in */
  readonly tree?: number;
}

/** What is to be done to download objects. */
export function downloadItems(
  c: Handled,
  { objects, wanted, addressOf, tree }: WantedObjects,
): BatchItem[] {
  const blocked = wanted.filter(({ refusal }) =>
    refusal !== undefined && refusal.kind !== "ErrHubEntryNotFound"
  );
  // The client does not ask for these, so that nothing else would record that they are refused.
  if (blocked.length > 0) {
    const paths = blocked.flatMap(({ path = [] }) => path);
    auditChange(c, { paths, ...(tree !== undefined && { tree }) });
    c.set("failure", blocked[0]?.refusal);
  }
  return objects.map((object, index): BatchItem => {
    const refusal = wanted[index]?.refusal;
    return refusal === undefined
      ? { ...object, actions: { download: addressOf(object, index) } }
      : { ...object, error: errorOf(refusal) };
  });
}

/** A refusal of one object. */
export function errorOf({ kind, message }: AppError): { code: number; message: string } {
  return { code: OBJECT_CODES[kind] ?? INVALID_OBJECT, message };
}

export function pointerOf({ oid, size }: LfsObject): LfsPointer {
  return { sha256: oid, size };
}

/** The reply to a batch. */
export function batchReply(c: Handled, objects: readonly BatchItem[]): Response {
  return lfsJson(c, { transfer: "basic", objects, hash_algo: "sha256" });
}

export function lfsJson(c: Handled, body: unknown): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  return respond(c, bytes, 200, {
    "Content-Type": CONTENT_TYPE,
    "Content-Length": String(bytes.length),
  });
}
