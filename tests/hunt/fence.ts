import { hasProgram, run } from "../support/tools.ts";

const HERE = import.meta.dirname ?? ".";
const UNSHARE = [
  "unshare",
  "--user",
  "--map-root-user",
  "--net",
  "--pid",
  "--fork",
  "--kill-child",
];

/** What the fence says of the packages that it has. */
interface Packages {
  readonly python: string;
  readonly versions: Readonly<Record<string, string>>;
  /** Names that no package has. */
  readonly lacking: readonly string[];
}

/** How the machine's OpenBLAS is set, without which it may crash. */
function openblas(): Record<string, string> {
  const settings = Object.entries(Deno.env.toObject());
  return Object.fromEntries(settings.filter(([name]) => name.startsWith("OPENBLAS_")));
}

/** A process in which pickles run, without a network, with little memory and time. */
export class Fence implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #reader: ReadableStreamBYOBReader;
  readonly #directory: string;
  packages: Packages = { python: "", versions: {}, lacking: [] };

  private constructor(command: readonly string[], directory: string, modules: string) {
    const [program = "", ...args] = command;
    this.#directory = directory;
    this.#child = new Deno.Command(program, {
      args,
      cwd: directory,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: directory,
        TMPDIR: directory,
        PYTHONPATH: modules,
        PYTHONDONTWRITEBYTECODE: "1",
        ...openblas(),
        OPENBLAS_NUM_THREADS: "1",
        OMP_NUM_THREADS: "1",
      },
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reader = this.#child.stdout.getReader({ mode: "byob" });
  }

  /**
   * Starts a Python, which imports names.
   *
   * @param modules A directory of packages that come before those of this Python.
   * @param files Whether it runs files, which all loaders get, and not single pickles with canaries.
   */
  static async start(
    { python, names, modules = "", files = false }: {
      readonly python: string;
      readonly names: readonly (readonly [module: string, name: string])[];
      readonly modules?: string;
      readonly files?: boolean;
    },
  ): Promise<Fence> {
    const directory = await Deno.makeTempDir({ prefix: "strongroom-hunt-" });
    const isFenced = await hasProgram("unshare", ...UNSHARE.slice(1), "true");
    const arguments_ = files ? ["--files"] : [];
    const command = [...isFenced ? UNSHARE : [], python, `${HERE}/fence.py`, ...arguments_];
    const fence = new Fence(command, directory, modules);
    const [reply] = await fence.#ask([new TextEncoder().encode(JSON.stringify(names))]);
    fence.packages = JSON.parse(reply ?? "");
    return fence;
  }

  /** Runs pickles. What each did: notes, and last how it ended. */
  async run(pickles: readonly Uint8Array[]): Promise<string[][]> {
    const lines = await this.#ask(pickles);
    if (lines.length !== pickles.length) {
      throw new Error(`${lines.length} of ${pickles.length} ran`);
    }
    return lines.map((line) => line.split("\t"));
  }

  async #ask(frames: readonly Uint8Array[]): Promise<string[]> {
    const size = frames.reduce((sum, { length }) => sum + 4 + length, 4);
    const message = new Uint8Array(size);
    const view = new DataView(message.buffer);
    view.setUint32(0, frames.length, true);
    let at = 4;
    for (const frame of frames) {
      view.setUint32(at, frame.length, true);
      message.set(frame, at + 4);
      at += 4 + frame.length;
    }
    const sent = this.#writer.write(message);
    const head = await this.#read(4);
    const reply = await this.#read(new DataView(head.buffer).getUint32(0, true));
    await sent;
    return new TextDecoder().decode(reply).replace(/\n$/, "").split("\n");
  }

  async #read(size: number): Promise<Uint8Array<ArrayBuffer>> {
    if (size === 0) return new Uint8Array(0);
    const { value } = await this.#reader.read(new Uint8Array(size), { min: size });
    if (value?.length !== size) throw new Error("the fenced process ended");
    return value;
  }

  /** The instructions of a pickle, as Python lists them. */
  static async list(python: string, pickle: Uint8Array): Promise<string> {
    const content = pickle.toHex();
    const code = `import pickletools; pickletools.dis(bytes.fromhex("${content}"))`;
    return (await run(python, ["-c", code])).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await this.#reader.cancel();
    await this.#child.status;
    await Deno.remove(this.#directory, { recursive: true });
  }
}
