import { hasDisplay } from "../environment.ts";

/** What opens an address in the browser of a person. Systems that are not here have `xdg-open`, too. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};
const [PROGRAM, ...FIRST] = OPENERS[Deno.build.os] ?? ["xdg-open"];

/** The program that {@link openBrowser} runs. Undefined unless a person at a terminal can see what it does. */
export function browserProgram(): string | undefined {
  const isWatched = Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
  return isWatched && hasDisplay() ? PROGRAM : undefined;
}

/**
 * Opens a page of a server in the browser of the person. Returns whether it has begun to.
 *
 * @param page What the server says: if it is elsewhere, it is not opened, as it might be a file of this machine.
 * @param server The URL of the server.
 */
export function openBrowser(page: string, server: string): boolean {
  const program = browserProgram();
  const url = URL.parse(page);
  const { origin, protocol } = new URL(server);
  // An address of `blob:` has an origin, too.
  if (program === undefined || url?.origin !== origin || url.protocol !== protocol) return false;
  try {
    new Deno.Command(program, {
      args: [...FIRST, url.href],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().unref();
    return true;
  } catch {
    // It is not installed. The person opens the page.
    return false;
  }
}
