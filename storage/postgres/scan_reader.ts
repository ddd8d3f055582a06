import type { ScanReader } from "../tables/scan_reports.ts";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Connections } from "./pools.ts";
import { Session } from "./session.ts";
import { sessionSettings } from "./session_settings.ts";
import { STATEMENTS } from "./statements.ts";

/** Connects to a database to report on a scan. */
export async function openScanReader(url: string): Promise<ScanReader> {
  const pool = new Connections(databaseAddress(url), {
    connections: 1,
    connectMs: 5000,
    settings: sessionSettings({ statementMs: 30_000, server: "", readOnly: true }),
    readOnly: true,
  });
  const client = await pool.take();
  const session = new Session(client);
  return {
    rows: (statement, parameters) => session.all(STATEMENTS.scans[statement], parameters),
    async [Symbol.asyncDispose]() {
      client.release(true);
      await pool.end();
    },
  };
}
