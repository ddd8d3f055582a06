import type { Session } from "./session.ts";
import { STATEMENTS } from "./statements.ts";

/**
 * Invalidates scan results of content that returns while no record has its hash. As MD5 can be forged, the
 * new content may differ from the content that was scanned. Call it before the records are added.
 */
export async function invalidateScans(
  session: Session,
  files: readonly { readonly hash: string }[],
): Promise<void> {
  const hashes = files.flatMap(({ hash }) => hash === "" ? [] : [hash]);
  if (hashes.length === 0) return;
  const { knowsHashes, forgetReplacedResults, forgetReplacedFailures, markReplacedFiles } =
    STATEMENTS.scans;
  const parameters = { hashes: JSON.stringify(hashes) };
  if (await session.get(knowsHashes, parameters) === undefined) return;
  await Promise.all(
    [forgetReplacedResults, forgetReplacedFailures, markReplacedFiles].map((sql) =>
      session.run(sql, parameters)
    ),
  );
}
