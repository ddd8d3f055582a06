/** The server as users start it: `deno task start`, in child processes. */

import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BASE_PATH } from "../../routes/routes.ts";
import { Client } from "./client.ts";
import { USER_PRIVILEGES } from "./server.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

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

/** The permission flags that `strongroom permissions` prints. */
export async function printedPermissionFlags(
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { code, stdout, stderr } = await strongroom(["permissions"], env);
  assert.equal(code, 0, stderr);
  return stdout.trim().split(" ");
}

function command(args: readonly string[], env: Readonly<Record<string, string>>): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}main.ts`, ...args],
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
  /** The checkout whose task starts the server. @default this one */
  readonly root?: string;
  /** Arguments of `strongroom serve`. */
  readonly args?: readonly string[];
  /** A program that runs the server, such as strace, with its arguments. */
  readonly under?: readonly [program: string, ...args: string[]];
}

export class ChildServer implements AsyncDisposable {
  readonly #env: Readonly<Record<string, string>>;
  readonly #printed: Promise<string>;
  #ended = false;

  private constructor(
    readonly process: Deno.ChildProcess,
    /** The process that serves: a child of the one that runs the task. */
    readonly pid: number,
    readonly origin: string,
    env: Readonly<Record<string, string>>,
    printed: Promise<string>,
  ) {
    this.#env = env;
    this.#printed = printed;
  }

  /** Starts a server on a free port and waits until it serves. */
  static async start(
    { dataDir, env, under, root = ROOT, args: given = [] }: ChildOptions,
  ): Promise<ChildServer> {
    const whole = {
      STRONGROOM_DATA_DIR: dataDir,
      STRONGROOM_PORT: String(freePort()),
      STRONGROOM_LOG_FORMAT: "json",
      ...env,
    };
    const task = [Deno.execPath(), "task", "start", ...given];
    const [program = "", ...args] = [...under ?? [], ...task];
    const process = new Deno.Command(program, {
      args,
      cwd: root,
      env: whole,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const [lines, rest] = process.stderr.pipeThrough(new TextDecoderStream()).tee();
    const printed = Array.fromAsync(rest).then((pieces) => pieces.join(""));
    let text = "";
    const reader = lines.getReader();
    const serving = /"url":"([^"]+)","pid":(\d+)/;
    while (!serving.test(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The server did not start: ${text}`);
      text += value;
    }
    // The other branch keeps reading, so that the server never blocks on a full pipe.
    reader.cancel().catch(() => {});
    const [, url = "", pid] = serving.exec(text) ?? [];
    return new ChildServer(process, Number(pid), new URL(url).origin, whole, printed);
  }

  /** A client with a credential from `strongroom token`. */
  async as(userId: number, privileges: readonly string[] = USER_PRIVILEGES): Promise<Client> {
    const { code, stdout, stderr } = await strongroom(
      ["token", "--user", String(userId), "--privileges", privileges.join()],
      this.#env,
    );
    assert.equal(code, 0, stderr);
    return new Client(this.origin + BASE_PATH, stdout.trim());
  }

  /** Everything that the server printed. Resolves when the server has exited. */
  printed(): Promise<string> {
    return this.#printed;
  }

  /** Sends a signal and waits for the server to exit. */
  async end(signal: Deno.Signal): Promise<Deno.CommandStatus> {
    Deno.kill(this.pid, signal);
    return await this.ended();
  }

  async ended(): Promise<Deno.CommandStatus> {
    const status = await this.process.status;
    this.#ended = true;
    await this.#printed;
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#ended) await this.end("SIGKILL");
  }
}

/** A port that was free a moment ago. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
