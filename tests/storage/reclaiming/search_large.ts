import { protocol } from "./protocol.ts";
import { RULES, type Rules } from "./rules.ts";
import { explore } from "./search.ts";

const NO_EXTRAS: Rules = {
  ...RULES,
  multipart: false,
  waiting: false,
  damage: false,
  copies: false,
  readers: false,
  slowServers: false,
};

const INSTANCES: Readonly<Record<string, Rules>> = {
  "two servers with all that can happen": RULES,
  "two servers and two contents": { ...NO_EXTRAS, contents: 2 },
  "two servers, three objects and damage": { ...NO_EXTRAS, objects: 3, damage: true },
  "three servers, two records": { ...NO_EXTRAS, servers: 3, records: 2 },
};

for (const [name, rules] of Object.entries(INSTANCES)) {
  const started = performance.now();
  const { states, violation } = explore(protocol(rules), { maxStates: 10_000_000 });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${name}: ${states} states in ${seconds} s: ${violation?.property ?? "sound"}`);
  if (violation === undefined) continue;
  console.log(violation.trace.join("\n"));
  Deno.exitCode = 1;
}
