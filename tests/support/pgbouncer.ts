import { freePort, untilListening } from "./ports.ts";
import { ownerOf, type Postgres } from "./postgres.ts";
import { TempDir } from "./temp_dir.ts";
import { isFile } from "./tools.ts";

/** Where Debian keeps the program, which is not on the PATH of every user. */
const DIRECTORY = "/usr/sbin";

export interface PgBouncerOptions {
  /** How many connections to the engine the clients of a database share. @default 4 */
  readonly connections?: number;
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** PgBouncer in transaction mode before an engine: each transaction may get another connection. */
export class PgBouncer implements AsyncDisposable {
  readonly #directory: TempDir;
  readonly #program: string;
  readonly port: number;
  #process: Deno.ChildProcess | undefined;

  private constructor(directory: TempDir, program: string, port: number) {
    this.#directory = directory;
    this.#program = program;
    this.port = port;
  }

  /** Whether it is installed. Says so if it is not. */
  static get isInstalled(): boolean {
    if (findProgram() !== undefined) return true;
    console.log("PgBouncer is not installed: its tests are skipped");
    return false;
  }

  static async start(
    engine: Pick<Postgres, "port">,
    { connections = 4, settings = {} }: PgBouncerOptions = {},
  ): Promise<PgBouncer> {
    const program = findProgram();
    if (program === undefined) throw new Error("PgBouncer is not installed");
    await using made = new AsyncDisposableStack();
    const directory = made.use(await TempDir.make());
    const pooler = new PgBouncer(directory, program, freePort());
    const lines = Object.entries({
      listen_addr: "127.0.0.1",
      listen_port: pooler.port,
      unix_socket_dir: "",
      auth_type: "any",
      pool_mode: "transaction",
      default_pool_size: connections,
      // Otherwise it is 15 s before it asks again for an engine that was away.
      server_login_retry: 1,
      max_client_conn: 1000,
      ...settings,
    }).map(([name, value]) => `${name} = ${value}\n`).join("");
    await Deno.writeTextFile(
      pooler.#file,
      `[databases]\n* = host=127.0.0.1 port=${engine.port} user=postgres\n[pgbouncer]\n${lines}`,
    );
    await pooler.restart();
    made.move();
    return pooler;
  }

  /** The URL by which a database of the engine is reached over the pooler. */
  urlOf(url: string): string {
    const pooled = new URL(url);
    pooled.port = String(this.port);
    return pooled.href;
  }

  /** Kills it at once: all connections break. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    process.kill("SIGKILL");
    await process.status;
  }

  /** Starts it, and waits until it accepts connections. */
  async restart(): Promise<void> {
    await this.kill();
    this.#process = new Deno.Command(this.#program, {
      args: ["-q", this.#file],
      stdout: "null",
      stderr: "null",
      ...await ownerOf(this.#directory.path),
    }).spawn();
    await untilListening(this.port);
  }

  /** Lets this process end while it runs. */
  unref(): void {
    this.#process?.unref();
  }

  /** Ends it where nothing can be awaited, at the end of a process. */
  endSync(): void {
    this.#process?.kill("SIGKILL");
    Deno.removeSync(this.#directory.path, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#directory[Symbol.asyncDispose]();
  }

  get #file(): string {
    return `${this.#directory.path}/pgbouncer.ini`;
  }
}

function findProgram(): string | undefined {
  const directories = [...(Deno.env.get("PATH") ?? "").split(":"), DIRECTORY];
  return directories.map((it) => `${it}/pgbouncer`).find(isFile);
}
