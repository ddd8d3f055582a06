import { trustVariables } from "../environment.ts";
import * as v from "valibot";
import { containerLimits } from "../../core/capacity/mod.ts";
import { asError, type Log } from "../../core/log.ts";
import { type Frame, readFrames } from "../../storage/scanners/frames.ts";
import type { ProcessEnd, ScannerProcess } from "../../storage/scanners/processes.ts";
import { signalChild } from "./child_process.ts";
import { waitsForDisk } from "./disk_wait.ts";
import { FrameWriter } from "./frame_writer.ts";
import { LocalProcesses } from "./local_processes.ts";
import { CHANNEL_LIMITS, ServerMessage, type SupervisorMessage } from "./messages.ts";
import { CACHED_ONLY, type ProgramArguments, SERVER_MALLOC } from "./program.ts";

const SECOND_MS = 1000;

export interface ServerProcessOptions {
  readonly program: ProgramArguments;
  /** Arguments of the command. */
  readonly args: readonly string[];
  /** What scanners may read, to open a file. */
  readonly scannersRead: readonly string[];
  /** The server is killed when its event loop stands still for this long. */
  readonly maxSilenceMs: number;
  readonly log: Log;
}

/** How a server process ended. */
export interface ServerEnd {
  readonly code: number;
  readonly signal: Deno.Signal | null;
  /** Whether it served. */
  readonly hasServed: boolean;
  /** Whether it stopped in order, or was about to. */
  readonly wasStopping: boolean;
  /** Whether it stopped to be replaced. */
  readonly wasRenewing: boolean;
}

/**
 * A server and its scanner processes. Relays messages between them, and kills the server when its event
 * loop stands still.
 */
export class ServerProcess {
  /** Resolves when the server and all of its scanners have ended. */
  readonly ended: Promise<ServerEnd>;
  readonly #options: ServerProcessOptions;
  readonly #child: Deno.ChildProcess;
  readonly #writer: FrameWriter;
  readonly #starter: LocalProcesses;
  readonly #scanners = new Map<number, ScannerProcess>();
  /** Seconds since the last sign of life; undefined before the first. */
  #silentSeconds: number | undefined;
  /** Whether it is silent because it waits for a disk. */
  #isStalled = false;
  #hasServed = false;
  #wasStopping = false;
  #wasRenewing = false;
  /** Whether it is to reload as soon as it serves. */
  #mustReload = false;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [...options.program.args, "serve", "--supervised", ...options.args],
      env: { ...SERVER_MALLOC, ...trustVariables() },
      // Its stdin ends when this process does, even if it is killed.
      stdin: "piped",
      stdout: "piped",
      // A terminal signals a whole process group. Outside of it, the server receives signals once.
      detached: true,
    }).spawn();
    // Finds out what the system denies scanners while the server starts.
    this.#starter = new LocalProcesses(options.scannersRead, {
      runtimeFlags: CACHED_ONLY,
      yields: true,
    });
    this.#writer = new FrameWriter(this.#child.stdin);
    this.ended = this.#run();
  }

  signal(signal: Deno.Signal): void {
    signalChild(this.#child, signal);
  }

  /** Makes it read again what can change while it runs. Before it serves, the signal could end it. */
  reload(): void {
    if (this.#hasServed) this.signal("SIGHUP");
    else this.#mustReload = true;
  }

  async #run(): Promise<ServerEnd> {
    await using _scanners = this.#starter;
    const watch = setInterval(() => this.#checkSilence(), SECOND_MS);
    try {
      for await (const frame of readFrames(this.#child.stdout, CHANNEL_LIMITS)) this.#handle(frame);
    } catch (error) {
      // What wrote it must not go on.
      this.#options.log.error("The server sent an invalid message; killing it", {
        error: asError(error),
      });
      this.signal("SIGKILL");
    } finally {
      clearInterval(watch);
    }
    const { code, signal } = await this.#child.status;
    return {
      code,
      signal,
      hasServed: this.#hasServed,
      wasStopping: this.#wasStopping,
      wasRenewing: this.#wasRenewing,
    };
  }

  #handle({ header, body }: Frame): void {
    const message = v.parse(ServerMessage, header);
    switch (message.kind) {
      case "alive":
        this.#silentSeconds = 0;
        if (this.#isStalled) this.#options.log.info("The server goes on: its disk answers again");
        this.#isStalled = false;
        return this.#sendLimits();
      case "serving":
        this.#hasServed = true;
        this.#options.log.info("Scans run in processes", { fence: this.#starter.fence });
        if (this.#mustReload) this.signal("SIGHUP");
        return;
      case "stopping":
        this.#wasStopping = true;
        return;
      case "renewing":
        this.#wasRenewing = true;
        return;
      case "start":
        return this.#start(message.id, message.memoryMB);
      case "send":
        return this.#scanners.get(message.id)?.send([body]);
      case "limit":
        return this.#scanners.get(message.id)?.limit(message);
      case "kill":
        return this.#scanners.get(message.id)?.kill();
    }
  }

  #start(id: number, memoryMB: number): void {
    let scanner: ScannerProcess;
    try {
      scanner = this.#starter.start(memoryMB, (bytes) => this.#send({ kind: "output", id }, bytes));
    } catch (error) {
      // The system has no room for another process now.
      const end: ProcessEnd = { reason: "exit", detail: `Cannot start: ${asError(error).message}` };
      return void this.#send({ kind: "ended", id, end });
    }
    this.#scanners.set(id, scanner);
    scanner.ended.then((end) => {
      this.#scanners.delete(id);
      this.#send({ kind: "ended", id, end });
    });
  }

  #sendLimits(): void {
    const limits = containerLimits();
    // JSON has no infinity: null is no limit.
    if (limits !== undefined) this.#send({ kind: "limits", limits: { ...limits } });
  }

  #send(message: SupervisorMessage, body?: Uint8Array): Promise<void> {
    return this.#writer.write(message, body);
  }

  /**
   * Counts ticks, as a clock goes on while the machine sleeps. A server that waits for a disk is not killed: it
   * goes on when the disk does, and cannot end before.
   */
  #checkSilence(): void {
    if (this.#silentSeconds === undefined) return;
    this.#silentSeconds++;
    const { maxSilenceMs, log } = this.#options;
    const seconds = maxSilenceMs / SECOND_MS;
    if (this.#silentSeconds <= seconds) return;
    if (waitsForDisk(this.#child.pid)) {
      if (!this.#isStalled) {
        log.warn("The server waits for a disk that does not answer", { seconds });
      }
      this.#isStalled = true;
      return;
    }
    if (this.#isStalled) {
      // It may take a moment to go on.
      this.#silentSeconds = 0;
      this.#isStalled = false;
      return;
    }
    this.#silentSeconds = undefined;
    log.error("The server does not respond; killing it", { seconds });
    this.signal("SIGKILL");
  }
}
