/** Prints how much the memory of buffers varies while content is downloaded, in bytes. */

import { MIB } from "../../../schemas/units.ts";
import { TestServer } from "../../support/server.ts";
import { run } from "../../support/tools.ts";

await using server = await TestServer.start();
const { url, token } = await server.as(1);
const address = `${url}/files/content`;
const curl = async (...args: string[]) => {
  const { code, stderr } = await run("curl", [
    ...["-sSf", "-o", "/dev/null", "-H", `Authorization: Bearer ${token}`],
    ...args,
    address,
  ]);
  if (code !== 0) throw new Error(stderr);
};
const file = `${server.dataDir}/content`;
await Deno.create(file).then((it) => it.close());
await Deno.truncate(file, 128 * MIB);
await curl("-T", file);
await curl();

let [most, least] = [0, Infinity];
const sampling = setInterval(() => {
  const { external } = Deno.memoryUsage();
  most = Math.max(most, external);
  least = Math.min(least, external);
}, 1);
await curl();
clearInterval(sampling);
console.log(most - least);
