import { orMissing } from "./files.ts";
import { saysStopping } from "./lock_mark.ts";

/**
 * How long to wait for a lock, in milliseconds. A killed server may need a moment to release it, `strongroom check`
 * holds it for a moment, and so does a process that its holder has just started, until that runs its own program.
 */
const LOCK_PATIENCE_MS = 1000;
const LOCK_RETRY_MS = 20;

/** A server that has the directory and stops, which is waited for. One whose supervisor was killed stops by itself. */
export interface StoppingServer {
  /** How long to wait, in milliseconds: longer than it lets transfers go on. */
  readonly patienceMs: number;
  /** Called once, if there is one. */
  readonly onStopping: () => void;
}

/**
 * Locks the directory itself. Returns false if another process has locked it. Succeeds without a lock
 * if the file system cannot lock directories, such as some network file systems.
 *
 * @param stopping Waits for that process if it is a server that stops. @default waits for none
 */
export async function lockDirectory(
  dataDir: string,
  locks: DisposableStack,
  stopping?: StoppingServer,
): Promise<boolean> {
  const directory = locks.use(await Deno.open(dataDir));
  // Where it fails, the lock file still excludes other servers.
  const lock = () => lockPatiently(directory).catch(() => true);
  return stopping === undefined ? await lock() : await lockStopped(lock, dataDir, stopping);
}

/** Locks the lock file, as {@link lockDirectory} does the directory. */
export function lockFile(
  file: Deno.FsFile,
  dataDir: string,
  stopping: StoppingServer,
): Promise<boolean> {
  return lockStopped(() => lockPatiently(file), dataDir, stopping);
}

/**
 * Locks a file or directory: for this process alone, or against those that want it alone. Returns false if another
 * process keeps its lock.
 */
export async function lockPatiently(file: Deno.FsFile, exclusive = true): Promise<boolean> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  while (!await file.tryLock(exclusive)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
  return true;
}

/** Tries to lock until it succeeds, as long as the directory has a server that stops. */
async function lockStopped(
  lock: () => Promise<boolean>,
  dataDir: string,
  { patienceMs, onStopping }: StoppingServer,
): Promise<boolean> {
  if (await lock()) return true;
  if (!await isStopping(dataDir)) return false;
  onStopping();
  const deadline = performance.now() + patienceMs;
  while (!await lock()) {
    // Another start may have taken its place.
    if (performance.now() > deadline || !await isStopping(dataDir)) return false;
  }
  return true;
}

/** Whether the process that has the directory is a server that stops, or has just stopped. */
async function isStopping(dataDir: string): Promise<boolean> {
  const text = await orMissing(Deno.readTextFile(`${dataDir}/lock`)) ?? "";
  return saysStopping(text);
}
