import * as assert from "node:assert/strict";
import { currentCredentials } from "../../../../storage/content/objects/credentials.ts";
import { ChildServer } from "../../../support/child_server.ts";
import { S3_CREDENTIALS, S3Engine } from "../../../support/s3.ts";
import { TempDir } from "../../../support/temp_dir.ts";

const MINUTE_MS = 60_000;

/** A stand-in for who lends credentials: of a machine, and of web identities. */
class Lender implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly asked: string[] = [];
  /** How long what it lends is valid. */
  validMs = 60 * MINUTE_MS;
  refuses = false;
  lent: { accessKeyId: string; secretAccessKey: string } = {
    accessKeyId: "key-1",
    secretAccessKey: "secret & more",
  };

  constructor() {
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#reply(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #reply(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (this.refuses) {
      return new Response(
        "<ErrorResponse><Error><Message>Not now</Message></Error></ErrorResponse>",
        {
          status: 400,
        },
      );
    }
    const expiration = new Date(Date.now() + this.validMs).toISOString();
    const { accessKeyId, secretAccessKey } = this.lent;
    if (request.method === "POST") {
      const form = new URLSearchParams(await request.text());
      this.asked.push(
        `${form.get("Action")} ${form.get("RoleArn")} ${form.get("WebIdentityToken")}`,
      );
      const secret = secretAccessKey.replaceAll("&", "&amp;");
      return new Response(
        `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
           <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>
           <SessionToken>session</SessionToken><Expiration>${expiration}</Expiration>
         </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    }
    this.asked.push(`${request.method} ${pathname}`);
    if (request.method === "PUT") return new Response("token");
    if (request.headers.get("X-aws-ec2-metadata-token") !== "token") {
      return new Response("", { status: 401 });
    }
    if (pathname.endsWith("/")) return new Response("a-role");
    return Response.json({
      Code: "Success",
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: "session",
      Expiration: expiration,
    });
  }
}

const LENT = { accessKeyId: "key-1", secretAccessKey: "secret & more", sessionToken: "session" };

Deno.test("C 31 the role of a machine signs requests, and is asked for again before its end", async () => {
  await using lender = new Lender();
  const current = currentCredentials({ kind: "instance", url: lender.url });
  assert.deepEqual(await Promise.all([current(), current()]), [LENT, LENT]);
  const directory = "/latest/meta-data/iam/security-credentials/";
  const asked = ["PUT /latest/api/token", `GET ${directory}`, `GET ${directory}a-role`];
  assert.deepEqual(lender.asked, asked);
  await current();
  assert.deepEqual(lender.asked, asked);
});

Deno.test("C 31 a web identity is given for credentials, with the token of now", async () => {
  await using lender = new Lender();
  let token = "first";
  const roleArn = "arn:aws:iam::1:role/it";
  const current = currentCredentials({
    kind: "web-identity",
    url: lender.url,
    roleArn,
    readToken: () => token,
  });
  lender.refuses = true;
  await assert.rejects(current(), /lends no credentials: 400 \(Not now\)/);
  lender.refuses = false;
  token = "second";
  assert.deepEqual(await current(), LENT);
  assert.deepEqual(lender.asked, [`AssumeRoleWithWebIdentity ${roleArn} second`]);
});

Deno.test("C 31 credentials that cannot be renewed are used until their end", async () => {
  await using lender = new Lender();
  const clock = Date.now;
  let ahead = 0;
  Date.now = () => clock() + ahead;
  try {
    const current = currentCredentials({ kind: "instance", url: lender.url });
    await current();
    const before = lender.asked.length;
    // Five minutes before its end, it is due.
    ahead = 56 * MINUTE_MS;
    lender.refuses = true;
    assert.deepEqual(await current(), LENT);
    lender.refuses = false;
    ahead += MINUTE_MS;
    assert.deepEqual(await current(), LENT);
    assert.equal(lender.asked.length, 2 * before);
    ahead += 61 * MINUTE_MS;
    lender.refuses = true;
    await assert.rejects(current(), /lends no credentials/);
  } finally {
    Date.now = clock;
  }
});

Deno.test("C 31 keys in files are read again", async () => {
  const clock = Date.now;
  let ahead = 0;
  Date.now = () => clock() + ahead;
  try {
    let accessKeyId = "first";
    const read = () => {
      if (accessKeyId === "") throw new Error("gone");
      return { accessKeyId, secretAccessKey: "secret" };
    };
    const current = currentCredentials({ kind: "keys", read });
    assert.equal((await current()).accessKeyId, "first");
    accessKeyId = "second";
    assert.equal((await current()).accessKeyId, "first");
    ahead = 11_000;
    assert.equal((await current()).accessKeyId, "second");
    accessKeyId = "";
    ahead = 22_000;
    assert.equal((await current()).accessKeyId, "second");
  } finally {
    Date.now = clock;
  }
});

Deno.test({
  name: "C 31 a server has the permissions that it needs to be lent credentials",
  ignore: !S3Engine.isInstalled,
}, async () => {
  await using lender = new Lender();
  await using engine = await S3Engine.start();
  await using directory = await TempDir.make();
  const token = `${directory.path}/token`;
  await Deno.writeTextFile(token, "the token\n");
  lender.lent = S3_CREDENTIALS;
  const env = {
    STRONGROOM_CONTENT_URL: engine.contentUrl(),
    STRONGROOM_S3_CREDENTIALS: "web-identity",
    STRONGROOM_S3_ROLE_ARN: "arn:aws:iam::1:role/it",
    STRONGROOM_S3_WEB_IDENTITY_TOKEN_FILE: token,
    STRONGROOM_S3_STS_URL: lender.url,
  };
  // This engine knows no tokens of sessions: it says so of the one that was lent.
  const start = ChildServer.start({ dataDir: `${directory.path}/data`, env });
  await assert.rejects(start, /InvalidToken/);
  assert.deepEqual(lender.asked, ["AssumeRoleWithWebIdentity arn:aws:iam::1:role/it the token"]);
});
