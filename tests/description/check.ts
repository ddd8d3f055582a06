/** `deno task test:api`: checks a server by its description for minutes; see its description in deno.json. */

import { ChildServer } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasSchemathesis, runSchemathesis } from "./schemathesis.ts";

if (!await hasSchemathesis()) {
  console.error("schemathesis is not installed: pip install schemathesis==4.32.5");
  Deno.exit(2);
}
await using dataDir = await TempDir.make();
await using directory = await TempDir.make();
await using server = await ChildServer.start({ dataDir: dataDir.path });
const admin = await server.as(1, ["resources.admin"]);
const args = Deno.args.length > 0 ? Deno.args : ["--max-examples=50"];
const { code, stdout, stderr } = await runSchemathesis(admin, { args, cwd: directory.path });
console.log(stdout + stderr);
if (server.starts > 1) console.error("The server died and was started again");
Deno.exitCode = code === 0 && server.starts === 1 ? 0 : 1;
