/** Reports the expressions that modules build while they load. Runs in a worker that has loaded none. */

import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import type { Regex } from "./regexes.ts";

const OWN_PATH = fileURLToPath(import.meta.url);
const built: Regex[] = [];

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args) {
    const { stack = "" } = new Error();
    const [pattern, flags] = args;
    const made = new target(pattern, flags);
    // Some stacks have addresses with blanks, which are encoded in others.
    const callers = [...stack.matchAll(/(file:\/\/.+?):(\d+):\d+/g)].map(([, url = "", line]) => ({
      path: fileURLToPath(url),
      line: Number(line),
    }));
    const { path = "", line = NaN } = callers.find(({ path }) => path !== OWN_PATH) ?? {};
    built.push({ path, line, source: made.source, flags: made.flags });
    return made;
  },
});

parentPort?.once("message", async (modules: readonly string[]) => {
  for (const module of modules) await import(module);
  parentPort?.postMessage(built);
});
