import type { StoppingServer } from "../disk/lock_wait.ts";
import type { ContentLocation } from "../../schemas/content_url.ts";
import type { DatabaseAddress } from "../../schemas/database_url.ts";
import type { DirectoryLock } from "../disk/lock.ts";
import type { CredentialSource } from "../content/objects/credentials.ts";
import type { RequestOptions } from "../content/objects/requests.ts";
import type { ContentStore } from "../content/content_store.ts";
import type { RecordStore } from "../tables/record_store.ts";

/** The object store that keeps content, and what signs requests to it. */
export interface ContentSettings {
  readonly location: ContentLocation;
  readonly credentials: CredentialSource;
  readonly requests?: Pick<RequestOptions, "totals">;
  /** Called with failures that clients do not see. @default does nothing */
  readonly onFailure?: (error: unknown) => void;
  /** Called with what the store does not allow, without which the rest goes on. @default does nothing */
  readonly onLack?: (error: Error) => void;
}

export interface StorageOptions {
  /** The PostgreSQL database that keeps records. @default a SQLite file in the data directory */
  readonly database?: DatabaseAddress | undefined;
  /** Where large content is kept. @default the data directory */
  readonly content?: ContentSettings | undefined;
  /** Uploads are refused while less than this is free, in units of 2^20 bytes. @default 64 */
  readonly reserveMB?: number;
  /** Whether a database that has lost changes is accepted (C 22). @default false */
  readonly acceptDamage?: boolean;
  /** Whether what a migration has not filled yet is accepted. @default false */
  readonly acceptUnfinished?: boolean;
  /** See {@link AcquireOptions.stopping}. */
  readonly stopping?: StoppingServer;
  /** See {@link ResourceStoreOptions.resultsVersion}. */
  readonly resultsVersion?: string;
  /** See {@link ResourceStoreOptions.onFatal}. */
  readonly onFatal?: (error: Error) => void;
  /** See {@link ResourceStoreOptions.maxDirectRecords}. */
  readonly maxDirectRecords?: number;
}

/** Records and content that have been opened. */
export interface OpenedStores {
  readonly records: RecordStore;
  readonly blobs: ContentStore;
  /** Whether they may disagree, so that they must be compared. */
  readonly mayDisagree: boolean;
}

/** What it takes to open them. */
export interface OpeningParts {
  readonly lock: DirectoryLock;
  readonly reserveBytes: number;
  readonly options: StorageOptions;
}
