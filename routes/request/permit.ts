import { AppError } from "../../core/errors.ts";

/** How often transfers ask whether they may go on, in milliseconds. */
const INTERVAL_MS = 1500;

/** Whether what a request was permitted by has ended since: its credential, or its session. */
export type HasEnded = () => boolean | Promise<boolean>;

const PERMITS = new WeakMap<object, HasEnded>();

/** A transfer that goes on as long as its request is permitted. */
interface Transfer {
  readonly hasEnded: HasEnded;
  readonly onEnd: (reason: AppError) => void;
  isAsking: boolean;
}

const TRANSFERS = new Set<Transfer>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Says by what a request is permitted, from now on. */
export function permit(request: object, hasEnded: HasEnded): void {
  PERMITS.set(request, hasEnded);
}

/** Whether what a request was permitted by has ended since. */
export async function hasEnded(request: object): Promise<boolean> {
  return await PERMITS.get(request)?.() ?? false;
}

/**
 * Calls `onEnd` once if what a request was permitted by ends while its transfer runs (C 27): within a few seconds. All
 * transfers share a timer, as most end before it ever rings.
 *
 * @returns what is to be called when the transfer is over.
 */
export function whilePermitted(request: object, onEnd: Transfer["onEnd"]): () => void {
  const hasEnded = PERMITS.get(request);
  if (hasEnded === undefined) return () => {};
  const transfer = { hasEnded, onEnd, isAsking: false };
  TRANSFERS.add(transfer);
  timer ??= setInterval(askAll, INTERVAL_MS);
  return () => TRANSFERS.delete(transfer);
}

function askAll(): void {
  for (const transfer of TRANSFERS) void ask(transfer);
  if (TRANSFERS.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

async function ask(transfer: Transfer): Promise<void> {
  if (transfer.isAsking) return;
  transfer.isAsking = true;
  try {
    // A failure says nothing of the credential: the next time asks again.
    const isOver = await Promise.resolve(transfer.hasEnded()).catch(() => false);
    if (!isOver || !TRANSFERS.delete(transfer)) return;
    transfer.onEnd(new AppError("ErrAuthRequired", "The credential has ended during the transfer"));
  } finally {
    transfer.isAsking = false;
  }
}
