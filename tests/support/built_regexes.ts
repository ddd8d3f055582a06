/** Reports the expressions that modules build while they load. Runs in a worker that has loaded none. */

import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import type { Regex } from "./regexes.ts";

/** As stacks write it. */
const OWN_URL = import.meta.url;
const built: Regex[] = [];

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, args) {
    const { stack = "" } = new Error();
    const [pattern, flags] = args;
    const made = new target(pattern, flags);
    const caller = [...stack.matchAll(/(file:\/\/\S+?):(\d+):\d+/g)].find(([, url]) =>
      url !== OWN_URL
    );
    const [, url, line] = caller ?? [];
    const path = url === undefined ? "" : fileURLToPath(url);
    built.push({ path, line: Number(line), source: made.source, flags: made.flags });
    return made;
  },
});

parentPort?.once("message", async (modules: readonly string[]) => {
  for (const module of modules) await import(module);
  parentPort?.postMessage(built);
});
