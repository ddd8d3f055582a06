/** Where the console is, below whatever path: two folders above its modules, which have their version. */
export const CONSOLE = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** The URL of the server, as programs need it. */
export function serverUrl(): string {
  return location.origin + CONSOLE.replace(/\/console$/, "");
}
