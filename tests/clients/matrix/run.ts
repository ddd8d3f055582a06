/** `deno task test:hub`: drives clients of the hub call by call; see its description in deno.json. */

import { versionsIn } from "../../support/hub_clients.ts";
import {
  drive,
  gitLfsClient,
  hubClients,
  libraryClients,
  npmClient,
  rustClient,
} from "./clients.ts";
import { matrixOf } from "./table.ts";

const venvs = Deno.env.get("HUB_VENVS")?.split(":").map((directory) => `${directory}/bin`);
const directories = venvs ?? (Deno.env.get("PATH") ?? "").split(":");
const versions = await versionsIn(directories);
if (versions.length === 0) {
  console.error(
    "Skipped: huggingface_hub (name virtual environments in HUB_VENVS, or have one on PATH)",
  );
}
const clients = [...versions.flatMap(hubClients), ...await libraryClients(directories)];
for (const client of [await npmClient(), await rustClient(), await gitLfsClient()]) {
  if (typeof client === "string") console.error(`Skipped: ${client}`);
  else clients.push(client);
}
const outcomes = await drive(clients, ({ name, command }) => console.error(name, ...command));
const { calls, unexpected, table } = matrixOf(outcomes);
console.log(`${table}\n\n+ works, - is refused in words, . is not there, ! is neither\n`);
for (const line of unexpected) console.log(line);
console.log(`${calls - unexpected.length} of ${calls} calls do what is expected of them`);
Deno.exitCode = unexpected.length === 0 && clients.length > 0 ? 0 : 1;
