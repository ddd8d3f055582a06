/**
 * `deno task test:s3`: runs the tests that versitygw has of the operations of C 30 against our door, and writes the
 * table of docs/reference/s3.md. Names of tests run only those, and write nothing.
 */

import { fileURLToPath } from "node:url";
import { S3Engine } from "../../support/s3.ts";
import { type Operation, type Outcome, Suite } from "./suite.ts";
import { tableOf } from "./table.ts";

const PATH = fileURLToPath(new URL("../../../docs/reference/s3.md", import.meta.url));
/** The last line before the table. */
const BEFORE = "`deno task test:s3` writes what follows.\n";

if (!S3Engine.isInstalled) Deno.exit(1);
await using suite = await Suite.start();
const outcomes = new Map<Operation, Outcome[]>();
for (const [operation, names] of await suite.tests()) {
  const own: Outcome[] = [];
  outcomes.set(operation, own);
  for (const name of names) {
    if (Deno.args.length > 0 && !Deno.args.includes(name)) continue;
    const outcome = await suite.run(name);
    console.error(outcome.failure === undefined ? "passes" : "fails ", name);
    own.push(outcome);
  }
}
const { passed, ran, unexpected, markdown } = tableOf(outcomes);
for (const line of unexpected) console.log(line);
console.log(`${passed} of ${ran} tests pass, ${unexpected.length} fail for no known reason`);
if (Deno.args.length === 0) {
  const page = await Deno.readTextFile(PATH);
  const start = page.indexOf(BEFORE);
  if (start < 0) throw new Error(`${PATH} has no place for the table`);
  const head = page.slice(0, start + BEFORE.length);
  await Deno.writeTextFile(PATH, `${head}\n${markdown}`);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", PATH] }).output();
}
Deno.exitCode = unexpected.length === 0 && ran > 0 ? 0 : 1;
