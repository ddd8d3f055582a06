import { pathMatcher } from "../../core/glob.ts";
import { MirrorEntry, MirrorFetch, type MirrorFile } from "../../schemas/mirror.ts";
import { printable } from "../../schemas/printable.ts";
import { formatBytes } from "../../schemas/units.ts";
import { patterns } from "../arguments.ts";
import { printNote } from "../output.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import { Connection } from "../remote/connection.ts";
import { RemoteError } from "../remote/remote_error.ts";
import { verbArguments } from "../remote/verb.ts";
import { concurrently } from "../transfer/concurrently.ts";
import { Meter } from "../transfer/meter.ts";
import { UsageError } from "../usage_error.ts";
import { mirroredName } from "./mirrored_name.ts";
import { askedRevision, mirroredFiles } from "./revisions.ts";

/** How many files come in at once. A server takes twice as many of a user. */
const CONCURRENCY = 4;

/** `strongroom mirror add`: has the files of a repository come in. Exit code 1: some are refused. */
export async function add(args: readonly string[]): Promise<number> {
  const { values, positionals: [given, ...others] } = verbArguments(args, {
    include: { type: "string", multiple: true, default: [] },
    pin: { type: "boolean", default: false },
  });
  if (given === undefined || others.length > 0) {
    throw new UsageError("mirror add needs one repository");
  }
  const name = mirroredName(given);
  const included = patterns("--include", values.include).map(pathMatcher);
  const connection = await Connection.open(values);
  const asked = await askedRevision(connection, name);
  // What comes in later must not displace it.
  const revision = values.pin
    ? await connection.json(MirrorEntry, "PATCH", `/mirror/${asked.id}`, {
      value: { pinned: true },
    })
    : asked;
  const files: MirrorFile[] = [];
  for await (const file of mirroredFiles(connection, revision)) {
    if (included.length === 0 || included.some((matches) => matches(file.path))) files.push(file);
  }
  const refused = await fetchFiles(connection, revision, files);
  if (values.json) print(JSON.stringify({ ...revision, asked_files: files.length, refused }));
  else {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    printNote(
      `${printable(revision.repository)}@${revision.commit}: ` +
        `${files.length - refused} of ${files.length} files, ${formatBytes(bytes)}`,
    );
  }
  return refused === 0 ? 0 : 1;
}

/** Has files come in. Returns how many are refused. */
async function fetchFiles(
  connection: Connection,
  revision: MirrorEntry,
  files: readonly MirrorFile[],
): Promise<number> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  using meter = new Meter({ files: files.length, bytes }, "Fetching");
  let refused = 0;
  await concurrently(files, CONCURRENCY, async ({ path, size }) => {
    try {
      await fetchFile(connection, revision, path);
    } catch (error) {
      if (!(error instanceof RemoteError) || error.status !== 403) throw error;
      meter.clear();
      printError(error.message);
      refused++;
    }
    meter.add(size);
    meter.finish();
  });
  return refused;
}

async function fetchFile(
  connection: Connection,
  { id }: MirrorEntry,
  path: string,
): Promise<void> {
  // Each request waits for the file for some seconds.
  for (let isFetched = false; !isFetched;) {
    const reply = await connection.json(MirrorFetch, "POST", `/mirror/${id}/fetches`, {
      value: { path },
    });
    isFetched = reply.is_fetched;
  }
}
