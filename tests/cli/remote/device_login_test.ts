import * as assert from "node:assert/strict";
import { TestAuthenticator } from "../../support/authenticator.ts";
import { addPerson, inviteTo, TestConsole } from "../../support/console.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 27 login without a credential is approved in the console, by a code that it shows", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = new RemoteClient({ HOME: directory.path });
  const admin = await server.as(1000, "users.admin");
  await addPerson(admin, "ana");
  const nobody = await client.run(["login", server.origin]);
  assert.deepEqual([nobody.code, nobody.stdout], [2, ""]);
  assert.match(nobody.stderr, /A credential is expected on stdin/);

  const ana = new TestConsole(server);
  await ana.accept(await inviteTo(admin, "ana"), new TestAuthenticator());
  await using login = client.spawn(["login", server.origin]);
  await login.stdin.close();
  let shown = "";
  let code: string | undefined;
  const decoder = new TextDecoder();
  for await (const chunk of login.stderr) {
    shown += decoder.decode(chunk, { stream: true });
    if (code !== undefined) continue;
    code = /enter the code ([A-Z]{4}-[A-Z]{4}) at/.exec(shown)?.[1];
    if (code === undefined) continue;
    assert.ok(shown.includes(`Open ${server.origin}/#/login/${code}`), shown);
    assert.equal((await ana.ask("GET", `/logins/${code}`)).machine, Deno.hostname());
    await ana.ask("POST", `/logins/${code}`, { approve: true });
  }
  const stdout = await new Response(login.stdout).text();
  assert.equal((await login.status).code, 0, shown + stdout);
  assert.ok(stdout.startsWith(`Logged in to ${server.origin}`), stdout);
  assert.equal((await client.run(["mkdir", "a"])).code, 0);
});
