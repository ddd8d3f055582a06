/** Other file servers, which the benchmarks compare with if they are installed. */

import { freePort } from "../support/ports.ts";
import { hasProgram } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** A file server that serves a directory, and accepts files by PUT. None of them hashes or syncs files. */
export interface Peer {
  readonly name: "nginx" | "dufs" | "rclone";
  /** The URL of the directory, without a slash at the end. */
  readonly url: string;
  /** The directory that it serves. rclone does not look for what it did not write itself. */
  readonly directory: string;
  readonly pid: number;
}

/** How to run a peer. */
interface PeerProgram {
  readonly name: Peer["name"];
  readonly versionArgs: readonly string[];
  /** Prepares the peer, and returns its arguments. */
  readonly args: (files: string, port: number) => Promise<readonly string[]>;
}

const PROGRAMS: readonly PeerProgram[] = [
  {
    name: "nginx",
    versionArgs: ["-v"],
    async args(files, port) {
      const config = `${files}.conf`;
      await Deno.writeTextFile(config, nginxConfig(files, port));
      return ["-e", "stderr", "-p", files, "-c", config];
    },
  },
  {
    name: "dufs",
    versionArgs: ["--version"],
    args: (files, port) =>
      Promise.resolve(["--allow-all", "--bind", "127.0.0.1", "--port", String(port), files]),
  },
  {
    name: "rclone",
    versionArgs: ["version", "--config", ""],
    args: (files, port) =>
      Promise.resolve(["serve", "webdav", files, "--config", "", "--addr", `127.0.0.1:${port}`]),
  },
];

/** nginx with uploads, without logs; all that it writes is below the directory, or beside it. */
function nginxConfig(files: string, port: number): string {
  return `
    daemon off;
    ${Deno.uid() === 0 ? "user root;" : ""}
    worker_processes auto;
    pid ${files}.pid;
    events {}
    http {
      access_log off;
      sendfile on;
      keepalive_requests 1000000;
      client_max_body_size 0;
      client_body_temp_path ${files}.tmp;
      server {
        listen 127.0.0.1:${port};
        root ${files};
        location / {
          dav_methods PUT DELETE;
          create_full_put_path on;
        }
      }
    }`;
}

/** The installed peers, each with a directory of its own. Dispose of it to end them. */
export class Peers implements AsyncDisposable {
  readonly #processes: Deno.ChildProcess[] = [];
  readonly #peers: Peer[] = [];

  get all(): readonly Peer[] {
    return this.#peers;
  }

  static async start(directory: string): Promise<Peers> {
    await using stack = new AsyncDisposableStack();
    const peers = stack.use(new Peers());
    for (const program of PROGRAMS) await peers.#start(program, `${directory}/${program.name}`);
    stack.move();
    return peers;
  }

  async #start({ name, versionArgs, args }: PeerProgram, directory: string): Promise<void> {
    if (!await hasProgram(name, ...versionArgs)) return;
    await Deno.mkdir(directory);
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    const process = new Deno.Command(name, {
      args: [...await args(directory, port)],
      stdout: "null",
      stderr: "null",
    }).spawn();
    let hasEnded = false;
    process.status.then(() => hasEnded = true);
    await until(async () => hasEnded || await answers(`${url}/`));
    if (hasEnded) return console.log(`${name} does not start`);
    this.#processes.push(process);
    this.#peers.push({ name, url, directory, pid: process.pid });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#processes) {
      process.kill("SIGTERM");
      await process.status;
    }
  }
}

async function answers(url: string): Promise<boolean> {
  const reply = await fetch(url).catch(() => undefined);
  await reply?.body?.cancel();
  return reply !== undefined;
}
