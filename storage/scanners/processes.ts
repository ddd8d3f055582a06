/** What starts scanner processes: the supervisor, or the command line itself. */

/** Why a process ended. */
export type ProcessEnd =
  /** It was killed, as it used more memory than its limit. */
  | { readonly reason: "memory" }
  /** It was killed, as it used more CPU time than its limit. */
  | { readonly reason: "cpu" }
  /** Its heap reached the limit of the runtime. */
  | { readonly reason: "heap" }
  /** It was killed on request, exited or crashed. */
  | { readonly reason: "exit"; readonly detail: string };

/** What a process may use. */
export interface UsageLimits {
  /** Resident memory, in MB of 2^20 bytes. */
  readonly maxMB: number;
  /** CPU time, in milliseconds. */
  readonly maxCpuMs: number;
}

/** A process that scans the files that it is sent, one after the other. */
export interface ScannerProcess {
  /** Resolves when the process has ended and all of its output was received. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Writes to its stdin. Bytes for a process that has ended are dropped. */
  send(pieces: readonly Uint8Array[]): void;
  /** Kills the process when it uses more from now on, as far as the system says what it uses. */
  limit(limits: UsageLimits): void;
  kill(): void;
}

/** Receives a piece of what a process writes to its stdout. */
export type ReceiveOutput = (bytes: Uint8Array) => void | Promise<void>;

/** Starts scanner processes. */
export interface ProcessStarter {
  /** @param memoryMB The limit of its resident memory, in MB of 2^20 bytes. Its heap has a lower one. */
  start(memoryMB: number, receive: ReceiveOutput): ScannerProcess;
}
