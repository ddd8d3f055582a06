/** nginx of the system, with a configuration of the test. */

import { freePort, untilListening } from "./ports.ts";
import { TempDir } from "./temp_dir.ts";
import { hasProgram } from "./tools.ts";

/** Whether the tests can run. They are skipped without nginx. */
export const HAS_NGINX = await hasProgram("nginx", "-v");

/** A proxy on a port of its own. */
export class Nginx implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;

  private constructor(readonly port: number, parts: AsyncDisposableStack) {
    this.#parts = parts;
  }

  /** @param locations Makes what is within `server { … }`, given the port. */
  static async start(locations: string, port = freePort()): Promise<Nginx> {
    await using parts = new AsyncDisposableStack();
    const { path } = parts.use(await TempDir.make());
    const names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = names.map((name) => `${name}_temp_path ${path}/${name};`).join(" ");
    await Deno.writeTextFile(
      `${path}/nginx.conf`,
      `daemon off; master_process off; pid ${path}/pid; error_log stderr; events {}
       http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; ${locations} } }`,
    );
    const process = new Deno.Command("nginx", {
      args: ["-p", path, "-c", `${path}/nginx.conf`],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    parts.defer(async () => {
      process.kill("SIGTERM");
      await process.status;
    });
    await untilListening(port);
    return new Nginx(port, parts.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
