import type { ContentLocation } from "../../../schemas/content_url.ts";
import type { ContentSettings } from "../../stores/opening.ts";
import type { LockState } from "../../disk/lock.ts";
import type { RecordAudit } from "../../tables/record_audit.ts";
import type { Bucket } from "../../content/objects/bucket.ts";
import type { AuditSource, ObjectAudit } from "../../tables/object_audit.ts";
import type { ContentCheckOptions } from "./check_contents.ts";
import type { ContentRepairs } from "./content_repairs.ts";
import type { Findings } from "./findings.ts";
import type { StoredContents } from "./stored_contents.ts";

/** The objects of a content store, and what the database has of them. */
export interface CheckedObjects {
  readonly objects: ObjectAudit;
  readonly bucket: Bucket;
  readonly location: ContentLocation;
}

/** A strongroom that is checked, with the engines that it has. */
export interface Subject extends AsyncDisposable {
  readonly audit: RecordAudit & AuditSource;
  readonly stored: StoredContents;
  /** Undefined if content is in the data directory. */
  readonly objects: CheckedObjects | undefined;
  /** Undefined to repair nothing. */
  readonly repairs: ContentRepairs | undefined;
  /** Which content without a record the next start moves away. */
  readonly pending: ContentCheckOptions["pending"];
  /** Whether servers use it now. */
  isServed(): Promise<boolean>;
  /** Notes that the check has come to its end. */
  finish(): Promise<void>;
}

/** What a start does about content without a record, by the lock of the data directory. */
export function pendingAfter(
  { afterCrash, sealed }: Pick<LockState, "afterCrash" | "sealed">,
): Subject["pending"] {
  if (!afterCrash) return "none";
  return sealed ? "announced" : "all";
}

/** What it takes to open a {@link Subject}. */
export interface SubjectOptions {
  readonly repair: boolean;
  readonly content: ContentSettings | undefined;
  readonly findings: Findings;
}
