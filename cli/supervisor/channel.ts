import type { ContainerLimits } from "../../core/capacity/mod.ts";
import { type Frame, readFrames } from "../../storage/scanners/frames.ts";
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
}

/** The server's side of the pipes to its supervisor. Create one per process. */
export class SupervisorChannel implements ProcessStarter {
  /** Resolves when the supervisor has ended. Rejects when the pipes fail. */
  readonly ended: Promise<void>;
  readonly #writer = new FrameWriter(Deno.stdout.writable);
  readonly #processes = new Map<number, RemoteProcess>();
  #ids = 0;
  #limits: ContainerLimits | undefined;

  constructor() {
    const alive = () => this.send({ kind: "alive" });
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

  start(memoryMB: number, receive: ReceiveOutput): ScannerProcess {
    const id = ++this.#ids;
    const ended = Promise.withResolvers<ProcessEnd>();
    this.#processes.set(id, { receive, ended });
    this.send({ kind: "start", id, memoryMB });
    return {
      ended: ended.promise,
      send: (pieces) => this.send({ kind: "send", id }, joined(pieces)),
      limitMemory: (maxMB) => this.send({ kind: "limit", id, maxMB }),
      kill: () => this.send({ kind: "kill", id }),
    };
  }

  async #receive(): Promise<void> {
    try {
      for await (const frame of readFrames(Deno.stdin.readable, CHANNEL_LIMITS)) {
        await this.#handle(frame);
      }
    } finally {
      // Scanners end with the supervisor.
      const end: ProcessEnd = { reason: "exit", detail: "the supervisor has ended" };
      for (const { ended } of this.#processes.values()) ended.resolve(end);
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
