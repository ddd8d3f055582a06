/** Clients in Go and Python that others' generators make of the description. */

import * as assert from "node:assert/strict";
import { dirname } from "node:path/posix";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, pythonWith, run } from "../support/tools.ts";

const python = await pythonWith("openapi_python_client");

/** Runs a program, which must succeed. Returns what it printed. */
async function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, { cwd });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout.trim();
}

function part(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`generated/${name}`, import.meta.url));
}

/** A server, a credential, and a directory with its description. */
async function described(parts: AsyncDisposableStack) {
  const server = parts.use(await TestServer.start());
  const { path } = parts.use(await TempDir.make());
  const { token } = await server.as(1, ...USER_PRIVILEGES);
  const reply = await fetch(`${server.origin}/openapi.json`);
  await Deno.writeTextFile(`${path}/openapi.json`, await reply.text());
  return { origin: server.origin, token, path };
}

Deno.test({
  name: "C 1 the client that oapi-codegen makes for Go is whole, compiles and works",
  ignore: !await hasProgram("go", "version") || !await hasProgram("oapi-codegen", "-version"),
  async fn() {
    await using parts = new AsyncDisposableStack();
    const { origin, token, path } = await described(parts);
    await Deno.mkdir(`${path}/client`);
    const options = ["-package", "client", "-generate", "types,client", "-o", "client/client.go"];
    await succeed("oapi-codegen", [...options, "openapi.json"], path);
    await Deno.writeTextFile(`${path}/main.go`, await part("main.go.txt"));
    await Deno.writeTextFile(`${path}/go.mod`, "module example\n\ngo 1.24\n");
    await succeed("go", ["mod", "tidy"], path);
    await succeed("go", ["build", "-o", "example", "."], path);
    assert.equal(await succeed(`${path}/example`, [origin, token], path), "201 200 1");
  },
});

Deno.test({
  name:
    "C 1 the client that openapi-python-client makes keeps PUT and resumable uploads, and works",
  ignore: python === undefined,
  async fn() {
    await using parts = new AsyncDisposableStack();
    const { origin, token, path } = await described(parts);
    const generator = `${dirname(python ?? "")}/openapi-python-client`;
    const options = ["--path", "openapi.json", "--output-path", "generated", "--meta", "none"];
    const said = await succeed(generator, ["generate", ...options], path);
    assert.doesNotMatch(said, /will not be generated/i);
    await Deno.writeTextFile(`${path}/session.py`, await part("session.py"));
    assert.equal(
      await succeed(python ?? "", ["session.py", origin, token], path),
      "201 201 204 in parts",
    );
  },
});
