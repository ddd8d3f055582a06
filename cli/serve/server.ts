import { asError, type Log } from "../../core/log.ts";
import { LastUses } from "../../core/last_uses.ts";
import { resultsVersion } from "../../core/scans/bounds.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { databaseOf } from "../../schemas/database_url.ts";
import type { RunningServer } from "../../routes/server.ts";
import type { Settings } from "../../schemas/settings.ts";
import { auditLog } from "../../storage/upkeep/audit/audit_log.ts";
import { isAway } from "../../storage/stores/away.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { authority, loadSettings, logOf, protocolOf } from "../environment.ts";
import { ADMINS } from "../../core/people/rights.ts";
import { readRules } from "../rules_file.ts";
import { serverAddress } from "../server_address.ts";
import { firstInvitation } from "./first_administrator.ts";
import { hostCapacity } from "../host_capacity.ts";
import { openAccess } from "../open_access.ts";
import { LineWriter } from "../line_writer.ts";
import { printError } from "../print_error.ts";
import { SupervisorChannel } from "../supervisor/channel.ts";
import { AWAY_EXIT_CODE } from "../supervisor/exit_codes.ts";
import { messageOf, withSettingContext } from "../usage_error.ts";
import { agreementOf } from "./agreement.ts";
import { readCertificate, type TlsCertificate } from "./certificate.ts";
import { loggingDelay } from "./logging_delay.ts";
import { contentSettings } from "./content_settings.ts";
import { reloadedCredentials } from "./credentials.ts";
import { reloadedPolicy } from "./policy.ts";
import { Reloads } from "./reload.ts";
import { compose, type Composition, type ServerParts } from "./compose.ts";

/** Why a server stops that its supervisor is to replace. */
const FAILED_CHANNEL = "failed connection to the supervisor";

/** Why a server stops that has a new certificate. */
const RENEWED = "new certificate";
/**
 * How long transfers may go on before a new certificate takes effect, in milliseconds. New requests are refused
 * until then.
 */
const RENEWAL_GRACE_MS = 10_000;

/** How long a server takes to stop once its transfers have ended, in milliseconds. */
const STOP_MS = 5000;

export interface ServeOptions {
  readonly acceptDamage: boolean;
  /** Whether a supervisor has started this process. */
  readonly isSupervised: boolean;
}

/**
 * Serves until a stop signal, until the supervisor ends, or until it cannot go on without an engine. Returns
 * the exit code.
 */
export async function serve(options: ServeOptions): Promise<number> {
  try {
    return await serveUntilEnd(options);
  } catch (error) {
    if (!isAway(error)) throw error;
    printError(messageOf(error));
    return AWAY_EXIT_CODE;
  }
}

async function serveUntilEnd({ acceptDamage, isSupervised }: ServeOptions): Promise<number> {
  const supervisor = isSupervised ? new SupervisorChannel() : undefined;
  // A compiled executable starts with the permissions of its supervisor.
  for (const name of ["run", "ffi", "import"] as const) Deno.permissions.revokeSync({ name });
  const settings = loadSettings();
  const lines = new LineWriter({
    onDropped: (count) =>
      log.warn("Log lines were dropped while nobody read them", { lines: count }),
  });
  const log: Log = logOf(settings, lines.write);
  const reloads = new Reloads(log);
  const isIsolated = settings.scanIsolation === "process";
  if (!isIsolated) {
    log.warn("Scans run in threads, which share the memory of the server and cannot be killed");
  }
  await using storage = await loggingDelay(
    log,
    "Still opening the data directory",
    () => openStorage(settings, log, acceptDamage),
  );
  await using audit = await withSettingContext(
    "STRONGROOM_AUDIT_LOG",
    settings.auditLog,
    "a file that can be written, or stderr",
    () =>
      auditLog(settings.auditLog, {
        dataDir: settings.dataDir,
        maxBytes: settings.auditLogSize,
        onFailure: (message, error) => log.error(message, { error }),
        writeElsewhere: (text) => lines.write(text.trimEnd(), "error"),
      }),
  );
  await using uses = new LastUses(storage.records.credentials, log);
  const host = hostCapacity(
    settings.dataDir,
    (message) => log.warn("Invalid setting", { message }),
    () => supervisor?.limits,
  );
  const parts: ServerParts = {
    host,
    log,
    audit,
    ...await reloadedCredentials(settings, storage, log, { reloads, uses }),
    ...await reloadedPolicy(settings, reloads),
    acceptDamage,
    droppedLines: () => lines.dropped,
    ...(isIsolated && supervisor !== undefined && { processes: supervisor }),
  };
  await storage.records.agree?.(await agreementOf(settings), settings.allowDifferent ?? []);
  await using composition = await loggingDelay(
    log,
    "Still comparing records and content",
    () => compose(storage, settings, parts),
  );
  const renewed = Promise.withResolvers<typeof RENEWED>();
  const tls = await readCertificate(settings);
  reloads.add(async () => {
    const found = await readCertificate(settings);
    if (found?.cert !== tls?.cert || found?.key !== tls?.key) renewed.resolve(RENEWED);
  });
  const server = await listen(settings, composition, tls);
  // Listens for signals before the log says that it serves.
  const stop = Promise.race([
    stopSignal(),
    renewed.promise,
    ...supervisor === undefined ? [] : [endOf(supervisor, log)],
  ]);
  const { hostname, port } = server.address;
  supervisor?.send({ kind: "serving" });
  log.info("Serving", {
    url: `${protocolOf(settings)}//${authority({ host: hostname, port })}${BASE_PATH}`,
    pid: Deno.pid,
  });
  await inviteFirst(storage, settings, parts);
  const signal = await stop;
  // A supervisor that cannot be heard any more is to start another server.
  const isDone = signal !== FAILED_CHANNEL;
  // The runtime (2.9.6) replaces no certificate while it listens, so another server takes it.
  const isRenewed = signal === RENEWED && supervisor !== undefined;
  if (isDone) supervisor?.send({ kind: isRenewed ? "renewing" : "stopping" });
  const { grace, drain } = settings;
  if (signal === "SIGTERM" && drain > 0) {
    log.info("Not ready any more; requests are taken", { seconds: drain / 1000 });
    await server.drain(drain);
  }
  void storage.announceStop();
  log.info("Stopping", { signal });
  const graceMs = signal === RENEWED ? Math.min(grace, RENEWAL_GRACE_MS) : grace;
  log.info("Stopped", { finished: await server.stop(graceMs) });
  return isDone ? 0 : 1;
}

/**
 * Shows whoever has started the server at a terminal how to become its administrator. Where nobody looks, nothing
 * changes: a log that is kept would give others the link, and strongroom invite does the same.
 */
async function inviteFirst(
  storage: Storage,
  settings: Settings,
  { log, audit }: Pick<ServerParts, "log" | "audit">,
): Promise<void> {
  if (settings.console === "off" || !Deno.stderr.isTerminal()) return;
  const { roles } = await readRules(settings) ?? {};
  if (roles !== undefined && !roles.has(ADMINS)) return;
  const url = await firstInvitation(storage.records, serverAddress(settings), audit);
  if (url !== undefined) log.info("Nobody signs in here yet: open this to be the first", { url });
}

/** Waits until the supervisor ends or cannot be heard any more. Returns which. */
async function endOf(supervisor: SupervisorChannel, log: Log): Promise<string> {
  try {
    await supervisor.ended;
    return "end of the supervisor";
  } catch (error) {
    log.error("Cannot go on: the connection to the supervisor failed", { error: asError(error) });
    return FAILED_CHANNEL;
  }
}

async function openStorage(
  settings: Settings,
  log: Log,
  acceptDamage: boolean,
): Promise<Storage> {
  const { dataDir, diskReserveMb: reserveMB, grace } = settings;
  await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that can be created",
    () => Deno.mkdir(dataDir, { recursive: true, mode: 0o700 }),
  );
  const warning = await openAccess(dataDir);
  if (warning !== undefined) log.warn(warning);
  const storage = await Storage.open(dataDir, {
    reserveMB,
    acceptDamage,
    database: databaseOf(settings),
    content: contentSettings(settings, log),
    resultsVersion: resultsVersion(settings),
    stopping: {
      patienceMs: grace + STOP_MS,
      onStopping: () => log.info("Waiting for the server that stops", { dataDir }),
    },
    onFatal(error) {
      log.error("Cannot go on", { error });
      // Nothing but an outage makes a server give up that shares its database.
      Deno.exit(settings.databaseUrl === undefined ? 1 : AWAY_EXIT_CODE);
    },
  });
  storage.useOwnTempDirectory();
  return storage;
}

function listen(
  settings: Settings,
  composition: Composition,
  tls: TlsCertificate | undefined,
): Promise<RunningServer> {
  const { host: hostname, port } = settings;
  return withSettingContext(
    "STRONGROOM_HOST and _PORT",
    authority(settings),
    "an address of this machine and a free port",
    () => composition.listen({ hostname, port, tls }),
  );
}

const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT"] as const;

/** The first stop signal. From then on, another one ends the process. */
function stopSignal(): Promise<Deno.Signal> {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  let stopping = false;
  for (const signal of STOP_SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (stopping) Deno.exit(130);
      stopping = true;
      resolve(signal);
    });
  }
  return promise;
}
