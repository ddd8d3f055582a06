import type {
  QueueCounts,
  Scan,
  ScanProgress,
  ScanQueue,
  ScanServers,
  ScanStore,
} from "../../core/scans/ports.ts";
import { SCAN_COLUMNS } from "../tables/scan_statements.ts";
import { toScan } from "../tables/scan_rows.ts";
import type { Database } from "./database.ts";
import { POSTGRES } from "./dialect.ts";

const POLL_INTERVAL_MS = 1000;
const IDLE_POLL_INTERVAL_MS = 3000;
/** How often to look for scans whose server has ended. */
const GIVE_BACK_INTERVAL_MS = 5000;
/** How many scans are given back in one transaction, at most. */
const MAX_GIVEN_BACK = 100;

const IS_LEFT = POSTGRES.isLeft("scans");
const IS_OWN = POSTGRES.isOwn("scans");
/** Whether a scan waits: all its files have been added. */
const IS_QUEUED = "status = 'queued' AND files_total >= 0";
/** Makes a scan wait again. */
const REQUEUE =
  "status = 'queued', started_at = NULL, server = NULL, files_scanned = 0, bytes_scanned = 0";

/** Whether scans wait, and whether some are noted as running at this server. */
const LOOK_FOR_OWN = `SELECT EXISTS (SELECT FROM scans WHERE ${IS_QUEUED}) AS queued,
  EXISTS (SELECT FROM scans WHERE status = 'running' AND ${IS_OWN}) AS own`;
/** Ends leases that have run out, and looks for what other servers have left besides. */
const LOOK_FOR_ALL = `${LOOK_FOR_OWN}, (
    EXISTS (SELECT FROM scans WHERE (status = 'running' OR files_total < 0) AND ${IS_LEFT})
    OR EXISTS (SELECT FROM scan_turns)
  ) AS left_over, (SELECT count(*) FROM end_leases()) AS ended`;

export interface SharedScanQueueOptions {
  /** How often to look for scans whose server has ended, in milliseconds. @default 5000 */
  readonly giveBackIntervalMs?: number | undefined;
}

/** The queue of scans that the servers of a database share. See docs/design/several_servers.md. */
export class SharedScanQueue implements ScanQueue, ScanServers {
  readonly #database: Database;
  readonly #store: Pick<ScanStore, "requeue" | "find" | "end">;
  readonly #giveBackIntervalMs: number;
  readonly pollIntervalMs = POLL_INTERVAL_MS;
  readonly idlePollIntervalMs = IDLE_POLL_INTERVAL_MS;
  #gaveBackAt = -Infinity;
  isEmpty = false;

  constructor(
    database: Database,
    store: Pick<ScanStore, "requeue" | "find" | "end">,
    { giveBackIntervalMs = GIVE_BACK_INTERVAL_MS }: SharedScanQueueOptions = {},
  ) {
    this.#database = database;
    this.#store = store;
    this.#giveBackIntervalMs = giveBackIntervalMs;
  }

  /** Those that other servers are still adding count as well. */
  async counts(userId: number): Promise<QueueCounts> {
    const row = await this.#database.get(
      `SELECT count(*) AS scans, count(*) FILTER (WHERE requested_by = :user) AS own,
         count(DISTINCT requested_by) AS users
       FROM scans WHERE status = 'queued' AND (files_total >= 0 OR NOT ${IS_OWN})`,
      { user: userId },
    );
    return { scans: Number(row?.scans), own: Number(row?.own), users: Number(row?.users) };
  }

  async resume(): Promise<void> {
    await this.#store.requeue();
    this.isEmpty = false;
  }

  add(): void {
    this.isEmpty = false;
  }

  /** Takes the scan that is next, and marks it as running. A server without a lease gets none. */
  async take(running: readonly number[]): Promise<Scan | undefined> {
    const row = await this.#database.use("writes", (session) =>
      session.get(
        `WITH next AS (
           SELECT id, requested_by FROM scans AS waiting
           LEFT JOIN scan_turns ON scan_turns.user_id = requested_by
           WHERE ${IS_QUEUED} AND NOT id = ANY (:running::bigint[]) AND EXISTS (
             SELECT FROM servers
             WHERE id = current_setting('strongroom.server') AND expires_at > clock_timestamp()
           )
           ORDER BY turn NULLS FIRST, waiting.id LIMIT 1 FOR UPDATE OF waiting SKIP LOCKED
         ), turned AS (
           INSERT INTO scan_turns (user_id) SELECT requested_by FROM next
           ON CONFLICT (user_id) DO UPDATE SET turn = nextval('scan_turn')
         )
         UPDATE scans SET status = 'running', started_at = :now,
           server = current_setting('strongroom.server')
         WHERE id = (SELECT id FROM next) RETURNING ${SCAN_COLUMNS}`,
        { now: Date.now(), running },
      ));
    this.isEmpty = row === undefined;
    return row && toScan(row);
  }

  async cancel(id: number): Promise<Scan | undefined> {
    const scan = await this.#store.find(id);
    if (scan?.status !== "queued") return undefined;
    try {
      return await this.#store.end(scan, "cancelled", Date.now());
    } catch (error) {
      if ((await this.#store.find(id))?.status === "queued") throw error;
      // Another server has taken or canceled it meanwhile.
      return undefined;
    }
  }

  async exchange(
    running: readonly ScanProgress[],
  ): Promise<ReadonlyMap<number, { isCanceled: boolean }>> {
    if (running.length === 0) {
      await this.#look();
      return new Map();
    }
    const own = await this.#database.use("writes", (session) =>
      session.all(
        `UPDATE scans SET files_scanned = files, bytes_scanned = bytes
         FROM unnest(:ids::bigint[], :files::bigint[], :bytes::bigint[]) AS at (scan, files, bytes)
         WHERE id = scan AND status = 'running' AND ${IS_OWN} RETURNING id, canceled`,
        {
          ids: running.map(({ id }) => id),
          files: running.map(({ filesScanned }) => filesScanned),
          bytes: running.map(({ bytesScanned }) => bytesScanned),
        },
      ));
    // A connection that breaks may have taken a scan without saying so.
    await this.#giveBack(IS_OWN, running.map(({ id }) => id));
    if (this.#isGivingBackDue()) await this.#giveBackLeft();
    const row = await this.#database.get(
      `SELECT EXISTS (SELECT FROM scans WHERE ${IS_QUEUED}) AS found`,
    );
    this.isEmpty = row?.found !== true;
    return new Map(own.map(({ id, canceled }) => [Number(id), { isCanceled: canceled === true }]));
  }

  async ended(ids: readonly number[]): Promise<Scan[]> {
    const rows = await this.#database.all(
      `SELECT ${SCAN_COLUMNS} FROM scans WHERE id = ANY (:ids::bigint[]) AND finished_at IS NOT NULL`,
      { ids },
    );
    return rows.map(toScan);
  }

  async askToCancel(id: number): Promise<boolean> {
    const asked = await this.#database.use(
      "writes",
      (session) =>
        session.run("UPDATE scans SET canceled = true WHERE id = :id AND status = 'running'", {
          id,
        }),
    );
    return asked > 0;
  }

  async leave(): Promise<void> {
    await this.#giveBack(IS_OWN, []);
  }

  /** Does what {@link exchange} does by one statement, as long as there is nothing else to do. */
  async #look(): Promise<void> {
    const isDue = this.#isGivingBackDue();
    // What ends a lease now is left to the next time.
    const row = await this.#database.get(isDue ? LOOK_FOR_ALL : LOOK_FOR_OWN);
    if (row?.own === true) await this.#giveBack(IS_OWN, []);
    if (row?.left_over === true) await this.#giveBackLeft();
    this.isEmpty = row?.queued !== true && row?.own !== true && row?.left_over !== true;
  }

  #isGivingBackDue(): boolean {
    const now = performance.now();
    if (now - this.#gaveBackAt < this.#giveBackIntervalMs) return false;
    this.#gaveBackAt = now;
    return true;
  }

  /**
   * Queues scans again whose servers have ended or let their leases run out, and removes those whose files
   * such a server was adding.
   */
  async #giveBackLeft(): Promise<void> {
    await this.#database.use("writes", async (session) => {
      await session.run("SELECT end_leases()");
      await session.run(`DELETE FROM scans WHERE files_total < 0 AND ${IS_LEFT}`);
      await session.run(
        `DELETE FROM scan_turns WHERE NOT EXISTS (
           SELECT FROM scans WHERE requested_by = scan_turns.user_id
             AND status IN ('queued', 'running')
         )`,
      );
    });
    await this.#giveBack(IS_LEFT, []);
  }

  /** Queues running scans again, and removes what there is of their reports. */
  async #giveBack(condition: string, except: readonly number[]): Promise<void> {
    await this.#database.use("writes", async (session) => {
      await session.begin();
      const given = await session.all(
        `UPDATE scans SET ${REQUEUE} WHERE id IN (
           SELECT id FROM scans
           WHERE status = 'running' AND ${condition} AND NOT id = ANY (:except::bigint[])
           ORDER BY id LIMIT ${MAX_GIVEN_BACK} FOR UPDATE SKIP LOCKED
         ) RETURNING id`,
        { except },
      );
      // A later statement: it sees what the former server had stored until the scan was taken from it.
      if (given.length > 0) {
        await session.run("DELETE FROM scan_report_chunks WHERE scan_id = ANY (:ids::bigint[])", {
          ids: given.map(({ id }) => Number(id)),
        });
      }
      await session.commit();
    });
  }
}
