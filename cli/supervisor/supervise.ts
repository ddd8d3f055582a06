import { asError, type Log } from "../../core/log.ts";
import { loadSettings, logOf } from "../environment.ts";
import { LineWriter } from "../line_writer.ts";
import { permissionsFor } from "../permissions.ts";
import { AWAY_EXIT_CODE, INTERRUPTED_EXIT_CODE, USAGE_EXIT_CODE } from "./exit_codes.ts";
import { CACHED_ONLY, cacheProgram, programArguments, SERVER_V8_FLAGS } from "./program.ts";
import { onStopSignals, SERVER_STOP_SIGNALS } from "./signals.ts";
import { refreshConsole } from "./console_files.ts";
import { writeInPlace } from "./write_in_place.ts";
import { type ServerEnd, ServerProcess } from "./server_process.ts";

/** A server that lived this long does not count as dying at once. */
const STABLE_MS = 60_000;
/** Gives up after this many deaths at once in a row. */
const MAX_QUICK_DEATHS = 5;
const FIRST_DELAY_MS = 500;
/** How long to wait before another attempt while an engine is away, at most. */
const MAX_DELAY_MS = 5000;

export interface SuperviseOptions {
  /** The server is killed when its event loop stands still for this long. @default 30000 */
  readonly maxSilenceMs?: number;
}

/**
 * Runs the server and its scanners, and does nothing else. Forwards signals. Starts a server that died
 * unexpectedly again, with growing delays, until five in a row die within a minute of their start; for as long
 * as an engine is away, each time.
 * See docs/design/processes.md.
 *
 * @param args The arguments of the first start. They are not for one that follows a death.
 * @returns the exit code of the last server.
 * @throws {RangeError} when a setting is invalid.
 */
export async function supervise(
  args: readonly string[],
  { maxSilenceMs = 30_000 }: SuperviseOptions = {},
): Promise<number> {
  const warnings: string[] = [];
  const settings = loadSettings((warning) => warnings.push(warning));
  const lines = new LineWriter({
    onDropped: (count) =>
      log.warn("Log lines were dropped while nobody read them", { lines: count }),
  });
  const log: Log = logOf(settings, lines.write);
  for (const message of warnings) log.warn("Invalid setting", { message });
  const { dataDir, databaseUrl } = settings;
  await Promise.all([
    cacheProgram(),
    ...settings.console === "on" ? [makeConsole(log)] : [],
    ...databaseUrl === undefined ? [writeInPlace(dataDir, log)] : [],
  ]);
  using program = programArguments({
    permissions: permissionsFor(settings),
    runtimeFlags: [SERVER_V8_FLAGS, ...CACHED_ONLY],
  });
  const stop = new AbortController();
  let server: ServerProcess | undefined;
  onStopSignals((signal) => {
    stop.abort();
    server?.signal(signal);
  }, SERVER_STOP_SIGNALS);
  Deno.addSignalListener("SIGHUP", () => server?.reload());
  let given = args;
  let delayMs = FIRST_DELAY_MS;
  for (let quickDeaths = 0;;) {
    const startedAt = performance.now();
    server = new ServerProcess({
      program,
      args: given,
      scannersRead: [dataDir],
      maxSilenceMs,
      log,
    });
    const end = await server.ended;
    if (end.hasServed) given = [];
    if (end.wasRenewing && !stop.signal.aborted) continue;
    if (!stop.signal.aborted && !end.wasStopping && end.code === AWAY_EXIT_CODE) {
      // The server is not at fault, and the outage ends without a change to it.
      delayMs = end.hasServed ? FIRST_DELAY_MS : Math.min(2 * delayMs, MAX_DELAY_MS);
      log.warn("An engine is away; starting the server again", { after_ms: delayMs });
      await delay(delayMs, stop.signal);
      if (stop.signal.aborted) return end.code;
      continue;
    }
    if (stop.signal.aborted || isFinal(end, quickDeaths)) return end.code;
    given = [];
    quickDeaths = performance.now() - startedAt < STABLE_MS ? quickDeaths + 1 : 1;
    const reason = end.signal ?? `exit code ${end.code}`;
    if (quickDeaths >= MAX_QUICK_DEATHS) {
      log.error("The server died too often; giving up", { reason, deaths: quickDeaths });
      return end.code;
    }
    log.error("The server died; starting it again", { reason });
    await delay(FIRST_DELAY_MS * 2 ** (quickDeaths - 1), stop.signal);
    if (stop.signal.aborted) return end.code;
  }
}

/** Makes the files of the console. Where that fails, the server serves all else, and tells browsers. */
async function makeConsole(log: Log): Promise<void> {
  try {
    await refreshConsole();
  } catch (error) {
    log.warn("The console could not be put together", { error: asError(error) });
  }
}

/** Whether a server ended for a reason that another start does not remove. */
function isFinal({ code, hasServed, wasStopping }: ServerEnd, deaths: number): boolean {
  if (wasStopping || [0, USAGE_EXIT_CODE, INTERRUPTED_EXIT_CODE].includes(code)) return true;
  // The first start failed, and the operator sees why.
  return !hasServed && deaths === 0;
}

/** Waits, unless the signal aborts. */
async function delay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve());
  await promise;
  clearTimeout(timer);
}
