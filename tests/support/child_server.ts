/** The server as users start it, in child processes. */

import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { readJwtSecret } from "../../storage/disk/jwt_secret.ts";
import { Client } from "./client.ts";
import { freePort } from "./ports.ts";
import { childrenOf, isAlive, parentOf } from "./processes.ts";
import { ROOT, runArguments } from "./program.ts";
import { mintToken, USER_PRIVILEGES } from "./server.ts";
import { run } from "./tools.ts";
import { until } from "./until.ts";

export { ROOT };

/** Runs a command of strongroom and waits for it to exit. */
export async function strongroom(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = await command(args, env).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

/** The permission flags that `strongroom permissions` prints, as a shell reads them. */
export async function printedPermissionFlags(
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { code, stdout, stderr } = await strongroom(["permissions"], env);
  assert.equal(code, 0, stderr);
  const words = await run("bash", ["-c", `printf '%s\\n' ${stdout.trim()}`]);
  assert.equal(words.code, 0, words.stderr);
  return words.stdout.trimEnd().split("\n");
}

function command(args: readonly string[], env: Readonly<Record<string, string>>): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: runArguments(args),
    cwd: ROOT,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

export interface ChildOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The checkout whose server is started. @default this one */
  readonly root?: string;
  /** Arguments of `strongroom serve`. */
  readonly args?: readonly string[];
  /** The command that starts the server, before its arguments. @default {@link serveCommand} */
  readonly command?: readonly string[];
  /** A program that runs the server, such as strace, with its arguments. */
  readonly under?: readonly [program: string, ...args: string[]];
  /** Called with all that the server has printed so far, also before it serves. @default nothing */
  readonly onPrint?: (text: string) => void;
}

/** What `deno task start` runs when it has built the scanner for browsers, or the command of the package. */
function serveCommand(root: string): readonly string[] {
  const args = root === ROOT ? runArguments(["serve"]) : ["run", "--allow-all", "main.ts", "serve"];
  return [Deno.execPath(), ...args];
}

/** A line of the log of a server that serves. */
const SERVING = /"url":"([^"]+)","pid":(\d+)/g;

export class ChildServer implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: ServerLog;
  #ended = false;

  private constructor(
    readonly process: Deno.ChildProcess,
    /** The process that supervises the server: itself, if it does without scanner processes. */
    readonly supervisorPid: number,
    readonly origin: string,
    env: Readonly<Record<string, string>>,
    log: ServerLog,
  ) {
    this.#env = env;
    this.#log = log;
  }

  /** Starts a server on a free port and waits until it serves. */
  static async start(options: ChildOptions): Promise<ChildServer> {
    const { dataDir, env, under, root = ROOT, args: given = [] } = options;
    const { command = serveCommand(root) } = options;
    const whole = {
      STRONGROOM_DATA_DIR: dataDir,
      STRONGROOM_PORT: String(freePort()),
      STRONGROOM_LOG_FORMAT: "json",
      ...env,
    };
    const [program = "", ...args] = [...under ?? [], ...command, ...given];
    const process = new Deno.Command(program, {
      args,
      cwd: root,
      env: whole,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const log = new ServerLog(process.stderr, options.onPrint);
    const { url, pid } = await log.serving();
    const supervisorPid = pid === process.pid ? pid : await parentOf(pid);
    return new ChildServer(process, supervisorPid, new URL(url).origin, whole, log);
  }

  /** The process that serves, or the last one that did. */
  get pid(): number {
    return this.#log.starts.at(-1)?.pid ?? 0;
  }

  /** How many times the server has started. */
  get starts(): number {
    return this.#log.starts.length;
  }

  /** What the server printed so far. */
  get log(): string {
    return this.#log.text;
  }

  /** A client with a credential that the secret of the server signs, as `strongroom token` does. */
  async as(userId: number, privileges: readonly string[] = USER_PRIVILEGES): Promise<Client> {
    const { STRONGROOM_JWT_SECRET: given, STRONGROOM_DATA_DIR: dataDir = "" } = this.#env;
    const secret = given ?? await readJwtSecret(dataDir);
    assert.ok(secret !== undefined, `No secret in ${dataDir}`);
    return new Client(this.origin + BASE_PATH, await mintToken({ userId, privileges, secret }));
  }

  /** Everything that the server printed. Resolves when the server has exited. */
  async printed(): Promise<string> {
    await this.#log.ended;
    return this.#log.text;
  }

  /** The scanner processes of the server. */
  async scanners(): Promise<number[]> {
    const children = await childrenOf(this.supervisorPid);
    return [...children].filter(([, args]) =>
      args.some((it) => /\/cli\/(?:lone_)?scanner\.[jt]s$/.test(it))
    )
      .map(([pid]) => pid);
  }

  /**
   * Sends a signal to the server and waits for its exit. SIGKILL ends the supervisor, too, which would
   * start the server again.
   */
  async end(signal: Deno.Signal): Promise<Deno.CommandStatus> {
    if (signal === "SIGKILL") {
      // The supervisor must neither start the server again, nor have it stop in order.
      Deno.kill(this.supervisorPid, "SIGSTOP");
      killNow(this.pid);
      // One that starts in its place, and its scanners: those that a test has stopped notice nothing.
      const children = [...(await childrenOf(this.supervisorPid)).keys()];
      for (const pid of children) killNow(pid);
      killNow(this.supervisorPid);
      // They are no longer waited for, and they keep their locks until they are gone.
      await until(() => !children.some(isAlive));
    } else Deno.kill(this.pid, signal);
    return await this.ended();
  }

  async ended(): Promise<Deno.CommandStatus> {
    const status = await this.process.status;
    this.#ended = true;
    await this.#log.ended;
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) await this.end("SIGKILL");
  }
}

/** Kills a process, unless it has ended. */
function killNow(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** What a server prints on stderr. Goes on reading, so that the server never waits. */
class ServerLog {
  text = "";
  readonly ended: Promise<void>;
  #serving = Promise.withResolvers<void>();
  readonly #onPrint: ChildOptions["onPrint"];

  constructor(stderr: ReadableStream<Uint8Array>, onPrint: ChildOptions["onPrint"]) {
    this.#onPrint = onPrint;
    this.ended = this.#read(stderr.pipeThrough(new TextDecoderStream()));
  }

  /** The starts of the server: it is started again when it dies. */
  get starts(): readonly { readonly url: string; readonly pid: number }[] {
    return [...this.text.matchAll(SERVING)].map(([, url = "", pid]) => ({ url, pid: Number(pid) }));
  }

  /**
   * Waits for the first start.
   *
   * @throws {Error} when the server ends before.
   */
  async serving(): Promise<{ readonly url: string; readonly pid: number }> {
    await Promise.race([this.#serving.promise, this.ended]);
    const [first] = this.starts;
    if (first === undefined) throw new Error(`The server did not start: ${this.text}`);
    return first;
  }

  async #read(stderr: ReadableStream<string>): Promise<void> {
    let serves = false;
    for await (const piece of stderr) {
      this.text += piece;
      this.#onPrint?.(this.text);
      // Looking through all of a long log for each new line takes longer than what is measured.
      if (serves || this.starts.length === 0) continue;
      serves = true;
      this.#serving.resolve();
    }
  }
}
