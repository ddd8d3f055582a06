import type { TensorStore } from "../../core/compare/ports.ts";
import type { ConsoleSessionStore } from "../../core/console_sessions.ts";
import type { ContentAmount } from "../../core/content_changes.ts";
import type { CredentialStore } from "../../core/credential_store.ts";
import type { DecidedUploads } from "../../core/decided_upload.ts";
import type { EventEntry } from "../../core/event_channel.ts";
import type { Events } from "../../core/events.ts";
import type { HistoryStore } from "../../core/history.ts";
import type { HubStore } from "../../core/hub/store.ts";
import type { LfsObjectStore } from "../../core/lfs_objects.ts";
import type { LinkStore } from "../../core/links.ts";
import type { DavStore } from "../../core/locks.ts";
import type { Log } from "../../core/log.ts";
import type { MirrorStore } from "../../core/mirror/store.ts";
import type { SignInStore } from "../../core/people/sign_in_store.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import type { LocatedLookup, ResourceStore } from "../../core/ports.ts";
import type { ScanQueue, ScanServers, ScanStore } from "../../core/scans/ports.ts";
import type { S3Store } from "../../core/s3/store.ts";
import type { RecordSearch, SearchIndex } from "../../core/search.ts";
import type { RecordShares } from "../../core/shares.ts";
import type { SharedUpkeep, UpkeepStore } from "../../core/upkeep/ports.ts";
import type { UploadStore } from "../../core/uploads.ts";
import type { VerdictStore } from "../../core/verdicts.ts";
import type { Agreed, Agreement } from "../../schemas/agreement.ts";
import type { ContentTable } from "../content/content_table.ts";

/** What a database holds, and how much it has written. */
export interface DatabaseMeasures {
  /** Contents in the database, and those outside of it, in files or objects. */
  readonly contents: Record<"files" | "database", ContentAmount>;
  /** Transactions since the start for requests and upkeep, and the pieces of work that they carried out. */
  readonly commits: number;
  readonly works: number;
  /** The size of the database in bytes. */
  readonly databaseBytes: number;
  /** The size of its log; undefined if only its engine knows. */
  readonly logBytes: number | undefined;
}

/** What a server knows of a database that it shares, without asking it. Connections are by their purpose. */
export interface SharingMeasures {
  readonly open: Readonly<Record<string, number>>;
  readonly used: Readonly<Record<string, number>>;
  /** Work that waits for a connection. */
  readonly waiting: Readonly<Record<string, number>>;
  /** How long no other server takes over from this one, even if it cannot renew its lease. */
  readonly leaseSeconds: number;
}

/** A database with all that a server keeps in it (C 23). */
export interface RecordStore
  extends
    ResourceStore,
    RecordSearch,
    RecordShares,
    Partial<DecidedUploads>,
    Partial<LocatedLookup>,
    AsyncDisposable {
  readonly scans: ScanStore;
  /** Left out if only one server can use the database. */
  readonly sharedQueue?: ScanQueue & ScanServers;
  readonly upkeep: UpkeepStore;
  readonly verdicts: VerdictStore;
  readonly tensors: TensorStore;
  readonly history: HistoryStore;
  readonly searchIndex: SearchIndex;
  readonly hub: HubStore;
  readonly dav: DavStore;
  readonly links: LinkStore;
  readonly mirror: MirrorStore;
  readonly people: PeopleStore;
  readonly s3: S3Store;
  readonly sessions: ConsoleSessionStore;
  readonly signIns: SignInStore;
  readonly uploads: UploadStore;
  readonly objects: LfsObjectStore;
  readonly credentials: CredentialStore;
  readonly contents: ContentTable;
  /** Left out if only one server can use the database. */
  readonly shared?: SharedUpkeep;
  /**
   * Compares settings with those of the other servers. Left out if only one server can use the database.
   *
   * @param allowed In what they may differ.
   * @throws {Error} that says in what else they differ.
   */
  agree?(agreement: Agreement, allowed: readonly Agreed[]): Promise<void>;
  /**
   * The events of all servers that share the database. Left out if only one server can use it: that keeps
   * them in memory.
   *
   * @param entryOf Makes of an event what subscribers receive.
   */
  openEvents?<Event>(
    entryOf: (event: Event) => EventEntry,
    log: Log,
  ): Events<Event> & AsyncDisposable;
  /** Left out if only one server can use the database. */
  readonly sharing?: () => SharingMeasures;
  /** Measures in a moment, however much the database holds. */
  measure(): Promise<DatabaseMeasures>;
  /**
   * Commits, and changes nothing.
   *
   * @throws {Error} when the database cannot be written.
   */
  probe(): Promise<void>;
}
