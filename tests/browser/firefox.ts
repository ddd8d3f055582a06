/** Firefox ESR of the system, driven by WebDriver BiDi. */

import { type Browser, firefox } from "playwright-core";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";

const FIREFOX = "firefox-esr";

/** Whether Firefox can be started. */
export const HAS_FIREFOX = await hasProgram(FIREFOX, "--version");

/** What Playwright asks of each page, and Firefox ESR does not have yet. */
const UNKNOWN = `"emulation.setMediaFeaturesOverride"`;

/** Starts Firefox behind a relay that answers {@link UNKNOWN} itself. */
export async function launchFirefox(timeout: number): Promise<Browser> {
  await using parts = new AsyncDisposableStack();
  const relay = parts.use(
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const { socket, response } = Deno.upgradeWebSocket(request);
      relayTo(`ws://127.0.0.1:${new URL(request.url).pathname.slice(1)}`, socket);
      return response;
    }),
  );
  const directory = parts.use(await TempDir.make());
  const program = `${directory.path}/firefox`;
  // It says where it listens. Playwright is to hear of the relay instead.
  const address = "s|\\(listening on ws://127.0.0.1:\\)\\([0-9]*\\)|";
  await Deno.writeTextFile(
    program,
    `#!/bin/sh\n"${FIREFOX}" "$@" 2>&1 | sed -u "${address}\\1${relay.addr.port}/\\2|"\n`,
    { mode: 0o700 },
  );
  const browser = await firefox.launch({
    executablePath: program,
    channel: "moz-firefox",
    timeout,
  });
  const rest = parts.move();
  browser.on("disconnected", () => void rest.disposeAsync());
  return browser;
}

/** Passes messages between Playwright and Firefox. */
function relayTo(address: string, client: WebSocket): void {
  const server = new WebSocket(address);
  const waiting: string[] = [];
  client.onmessage = ({ data }) => {
    if (data.includes(UNKNOWN)) {
      const { id } = JSON.parse(data);
      client.send(JSON.stringify({ type: "success", id, result: {} }));
    } else if (server.readyState === WebSocket.OPEN) server.send(data);
    else waiting.push(data);
  };
  server.onopen = () => waiting.forEach((it) => server.send(it));
  server.onmessage = ({ data }) => client.send(data);
  server.onclose = () => client.close();
  client.onclose = () => server.close();
}
