import * as assert from "node:assert/strict";
import { CountingProxy } from "../../support/counting_proxy.ts";
import { childrenOf } from "../../support/processes.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test({
  name: "C 25 a transfer may reach its server, and write to the directory that it copies to, alone",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using directory = await TempDir.make();
    const home = await Deno.realPath(directory.path);
    await using server = await TestServer.start();
    await using proxy = new CountingProxy(server.server.address.port);
    const client = await RemoteClient.of(proxy, home);
    const host = new URL(proxy.origin).host;
    const state = `${home}/.local/state/strongroom`;
    const config = `${home}/.config/strongroom`;

    /** The permissions of the process that runs a command, but for those of the environment and the system. */
    const permissionsOf = async (...args: string[]) => {
      proxy.holdAfter("up", 0);
      const child = client.spawn(args);
      let flags: string[] = [];
      await until(async () => {
        const children = [...(await childrenOf(child.pid)).values()].flat();
        flags = children.filter((it) => /^(-A$|--allow-(?!env|sys))/.test(it));
        // Until it has begun its program, it has the arguments of its parent, `-A` among them.
        return flags.some((it) => it.startsWith("--allow"));
      });
      proxy.cut();
      proxy.release();
      await child.stdin.close();
      await child.output();
      return flags.sort();
    };
    assert.deepEqual(await permissionsOf("get", "m", `${home}/to/`), [
      `--allow-net=${host}`,
      `--allow-read=${config},${state},${home}/to/`,
      `--allow-write=${state},${home}/to/`,
    ]);
    // It may be the new name of a file.
    assert.deepEqual(await permissionsOf("get", "m", `${home}/some/name`), [
      `--allow-net=${host}`,
      `--allow-read=${config},${state},${home}/some`,
      `--allow-write=${state},${home}/some`,
    ]);
    assert.deepEqual(await permissionsOf("sync", "--delete", `${home}/from`, ":m"), [
      `--allow-net=${host}`,
      "--allow-read=/",
      `--allow-write=${state}`,
    ]);
    assert.deepEqual(await permissionsOf("get", "m", "-"), [
      `--allow-net=${host}`,
      `--allow-read=${config},${state}`,
      `--allow-write=${state}`,
    ]);
  },
});
