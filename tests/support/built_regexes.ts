/** Reports the expressions that modules build while they load. Runs in a worker that has loaded none. */

import { parentPort } from "node:worker_threads";
import type { Regex } from "./regexes.ts";

const OWN_PATH = new URL(import.meta.url).pathname;
const built: Regex[] = [];

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args) {
    const { stack = "" } = new Error();
    const [pattern, flags] = args;
    const made = new target(pattern, flags);
    const caller = [...stack.matchAll(/file:\/\/(\S+?):(\d+):\d+/g)].find(([, path]) =>
      path !== OWN_PATH
    );
    const [, path = "", line] = caller ?? [];
    built.push({ path, line: Number(line), source: made.source, flags: made.flags });
    return made;
  },
});

parentPort?.once("message", async (modules: readonly string[]) => {
  for (const module of modules) await import(module);
  parentPort?.postMessage(built);
});
