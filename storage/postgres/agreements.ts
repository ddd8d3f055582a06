import * as v from "valibot";
import { AGREED, type Agreed, Agreement } from "../../schemas/agreement.ts";
import type { Database } from "./database.ts";
import { LOCKS } from "./locks.ts";

/** What a server and the others compare. */
export interface AgreementParts {
  /** The id of the server. */
  readonly server: string;
  readonly agreement: Agreement;
  /** In what it may differ. */
  readonly allowed: readonly Agreed[];
}

/**
 * Compares the settings of a server with those of the others, and has later ones compare theirs with them.
 *
 * @throws {Error} that says in what it differs.
 */
export async function agree(
  database: Database,
  { server, agreement, allowed }: AgreementParts,
): Promise<void> {
  await database.use("writes", async (session) => {
    await session.begin();
    // Of two that start at once, one comes first.
    await session.run("SELECT pg_advisory_xact_lock(:lock::bigint)", { lock: LOCKS.migration });
    const others = await session.values(
      `SELECT DISTINCT agreement FROM servers
       WHERE id <> :server AND expires_at > clock_timestamp() AND agreement IS NOT NULL`,
      { server },
    );
    for (const [text] of others) {
      const there = v.parse(Agreement, JSON.parse(String(text)));
      const different = AGREED.filter((name) => !allowed.includes(name))
        .map((name) => ({ name, what: differences(agreement[name] ?? {}, there[name] ?? {}) }))
        .filter(({ what }) => what.length > 0);
      if (different.length > 0) throw disagreement(different);
    }
    await session.run("UPDATE servers SET agreement = :agreement::text WHERE id = :server", {
      server,
      agreement: JSON.stringify(agreement),
    });
    await session.commit();
  });
}

type Values = Readonly<Record<string, string>>;

function differences(here: Values, there: Values): string[] {
  const names = new Set([...Object.keys(here), ...Object.keys(there)]);
  return [...names].filter((name) => here[name] !== there[name]).map((name) =>
    name.startsWith("STRONGROOM_")
      ? `${name} is ${here[name] ?? "none"} here and ${there[name] ?? "none"} there`
      : `${name} is another one`
  );
}

function disagreement(different: readonly { name: Agreed; what: readonly string[] }[]): Error {
  const names = different.map(({ name }) => name);
  return new Error(
    `Other servers of the database have other settings: ${
      different.flatMap(({ what }) => what).join("; ")
    }. Give all servers the same, or allow it with STRONGROOM_ALLOW_DIFFERENT=${names.join()}`,
  );
}
