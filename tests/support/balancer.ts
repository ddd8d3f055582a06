/** Caddy of the system, with the configuration that is shipped for several servers. */

import { ROOT } from "./child_server.ts";
import { freePort, untilListening } from "./ports.ts";
import { TempDir } from "./temp_dir.ts";
import { hasProgram } from "./tools.ts";

/** Whether the tests can run. They are skipped without Caddy. */
export const HAS_CADDY = await hasProgram("caddy", "version");

/** The servers that the shipped configuration names. */
const SHIPPED_SERVERS = "strongroom-1:8080 strongroom-2:8080";

export class Balancer implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;

  private constructor(readonly port: number, parts: AsyncDisposableStack) {
    this.#parts = parts;
  }

  /** @param servers Host and port of each. */
  static async start(servers: readonly string[]): Promise<Balancer> {
    await using parts = new AsyncDisposableStack();
    const { path } = parts.use(await TempDir.make());
    const shipped = await Deno.readTextFile(`${ROOT}packaging/compose/balancer/Caddyfile`);
    const site = shipped.replace(SHIPPED_SERVERS, servers.join(" "))
      .replace("health_interval 1s", "health_interval 500ms")
      .replace("{\n\t# A stop", "{\n\tadmin off\n\t# A stop")
      .replace("grace_period 10m", "grace_period 1s");
    await Deno.writeTextFile(`${path}/Caddyfile`, site);
    const port = freePort();
    const process = new Deno.Command("caddy", {
      args: ["run", "--config", `${path}/Caddyfile`, "--adapter", "caddyfile"],
      env: { HOME: path, SITE: `http://127.0.0.1:${port}` },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    parts.defer(async () => {
      process.kill("SIGTERM");
      await process.status;
    });
    await untilListening(port);
    return new Balancer(port, parts.move());
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
