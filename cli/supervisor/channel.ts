import type { ContainerLimits } from "../../core/capacity/mod.ts";
import { encodeFrame, type Frame, readFrames } from "../../storage/scanners/frames.ts";
import type {
  ProcessEnd,
  ProcessStarter,
  ReceiveOutput,
  ScannerProcess,
} from "../../storage/scanners/processes.ts";
import { FrameWriter } from "./frame_writer.ts";
import {
  CHANNEL_LIMITS,
  HEARTBEAT_INTERVAL_MS,
  type ServerMessage,
  type SupervisorMessage,
} from "./messages.ts";

interface RemoteProcess {
  readonly receive: ReceiveOutput;
  readonly ended: PromiseWithResolvers<ProcessEnd>;
  isKilled: boolean;
}

/** How scanners end that this process can no longer hear of. */
const LOST: ProcessEnd = { reason: "exit", detail: "The supervisor has ended" };

/** The server's side of the pipes to its supervisor. Create one per process. */
export class SupervisorChannel implements ProcessStarter {
  /** Resolves when the supervisor has ended. Rejects when the pipes fail. */
  readonly ended: Promise<void>;
  readonly #writer = new FrameWriter(Deno.stdout.writable);
  readonly #processes = new Map<number, RemoteProcess>();
  #ids = 0;
  #isOver = false;
  #limits: ContainerLimits | undefined;

  constructor() {
    const alive = () => this.#sendAlive();
    alive();
    // A sign of life must not keep a process that is done.
    Deno.unrefTimer(setInterval(alive, HEARTBEAT_INTERVAL_MS));
    this.ended = Promise.race([this.#receive(), this.#writer.failed]);
  }

  /** The limits of the container; undefined until they are known. */
  get limits(): ContainerLimits | undefined {
    return this.#limits;
  }

  send(message: ServerMessage, body?: Uint8Array): void {
    this.#writer.write(message, body);
  }

  /**
   * The runtime writes to a pipe in one of 32 threads, and calls that wait for a disk may have them all. So a
   * sign of life, which the pipe has room for, is written here, unless another message is on its way.
   */
  #sendAlive(): void {
    if (!this.#writer.isIdle) return this.send({ kind: "alive" });
    try {
      for (const piece of encodeFrame({ kind: "alive" })) Deno.stdout.writeSync(piece);
    } catch {
      // The supervisor has ended, which is noticed where its messages are read.
    }
  }

  start(memoryMB: number, receive: ReceiveOutput): ScannerProcess {
    const id = ++this.#ids;
    const process: RemoteProcess = {
      receive,
      ended: Promise.withResolvers<ProcessEnd>(),
      isKilled: false,
    };
    this.#processes.set(id, process);
    this.send({ kind: "start", id, memoryMB });
    return {
      ended: process.ended.promise,
      send: (pieces) => this.send({ kind: "send", id }, joined(pieces)),
      limit: ({ maxMB, maxCpuMs }) => this.send({ kind: "limit", id, maxMB, maxCpuMs }),
      kill: () => {
        process.isKilled = true;
        if (this.#isOver) process.ended.resolve(LOST);
        else this.send({ kind: "kill", id });
      },
    };
  }

  async #receive(): Promise<void> {
    try {
      for await (const frame of readFrames(Deno.stdin.readable, CHANNEL_LIMITS)) {
        await this.#handle(frame);
      }
    } finally {
      // Scanners have ended with the supervisor. Their scans are interrupted by the stop that follows,
      // so that the next start continues them: they have not failed.
      this.#isOver = true;
      for (const { ended, isKilled } of this.#processes.values()) if (isKilled) ended.resolve(LOST);
    }
  }

  async #handle({ header, body }: Frame): Promise<void> {
    // It comes from the process that started this one, with more rights than this one has.
    const message = header as SupervisorMessage;
    switch (message.kind) {
      case "output":
        return await this.#processes.get(message.id)?.receive(body);
      case "ended":
        this.#processes.get(message.id)?.ended.resolve(message.end);
        this.#processes.delete(message.id);
        return;
      case "limits": {
        const { cores, memoryBytes, availableBytes } = message.limits;
        this.#limits = {
          cores: cores ?? Infinity,
          memoryBytes: memoryBytes ?? Infinity,
          availableBytes: availableBytes ?? Infinity,
        };
      }
    }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const piece of pieces) {
    bytes.set(piece, length);
    length += piece.length;
  }
  return bytes;
}
