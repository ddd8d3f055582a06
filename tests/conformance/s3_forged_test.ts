import * as assert from "node:assert/strict";
import { KINDS, sendForged } from "../fuzz/s3_forged.ts";
import { S3Client, type SignedRequest, timeText } from "../support/s3_client.ts";
import { TestServer } from "../support/server.ts";

/** Requests, and what was done to each. */
type Forged = readonly (readonly [what: string, request: SignedRequest])[];

const MINUTE_MS = 60_000;
const LETTERS = [..."0123456789abcdef"];

/** Each request with one digit of its signature changed, at all places. */
function withOtherSignatures(request: SignedRequest): Forged {
  return Array.from({ length: 64 }, (_, at) => {
    const change = (text: string) =>
      text.replace(/(?<=Signature=)[0-9a-f]{64}/, (signature) => {
        const other = LETTERS[(LETTERS.indexOf(signature.charAt(at)) + 1) % 16];
        return signature.slice(0, at) + other + signature.slice(at + 1);
      });
    const { Authorization: authorization, ...headers } = request.headers;
    return [`digit ${at} of the signature`, {
      ...request,
      query: change(request.query),
      headers: {
        ...headers,
        ...(authorization !== undefined && { Authorization: change(authorization) }),
      },
    }] as const;
  });
}

function withHeader(request: SignedRequest, name: string, value: string): SignedRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

/** A request with its statement of the signature changed. */
function restated(request: SignedRequest, from: string | RegExp, to: string): SignedRequest {
  const authorization = request.headers.Authorization ?? "";
  const changed = authorization.replace(from, to);
  assert.notEqual(changed, authorization, `${from}`);
  return withHeader(request, "Authorization", changed);
}

function without(request: SignedRequest, name: string): SignedRequest {
  const { [name]: _, ...headers } = request.headers;
  return { ...request, headers };
}

Deno.test("C 30 forged requests to the S3 door are refused, and change nothing", async (t) => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const other = await S3Client.of(server, { userId: 8 });
  const path = "/s3/own/dir/a%20b.txt";
  const signed = client.sign({ method: "PUT", path, body: "original" });
  assert.equal((await client.send(signed)).status, 200);
  const get = { method: "GET", path } as const;
  const list = { method: "GET", path: "/s3/own", query: { prefix: "dir/", "list-type": "2" } };
  const content = async () => (await client.request(get)).body;
  const before = (await client.request(list)).body;

  const refuseAll = async (forged: Forged) => {
    for (const [what, request] of forged) {
      const { status, body } = await client.send(request);
      assert.ok(status >= 400 && status < 500, `${what}: ${status} ${body}`);
      if (!/^\/(?:s3|own)\//.test(request.path)) continue;
      assert.match(body, /<Error><Code>\w+<\/Code>/, what);
    }
    assert.equal(await content(), "original");
    assert.equal((await client.request(list)).body, before);
  };
  const put = (body: string, more = {}) =>
    client.sign({ method: "PUT", path, body, headers: { "x-amz-meta-a": "1" }, ...more });

  await t.step("C 30 any other signature", async () => {
    await refuseAll(withOtherSignatures(put("forged")));
    await refuseAll(withOtherSignatures(client.presign({ method: "PUT", path, body: "forged" })));
    await refuseAll(withOtherSignatures(client.sign(list)));
  });
  await t.step(
    "C 30 another method, address, parameter, header or body than was signed",
    async () => {
      const request = put("forged");
      const paths = [
        "/s3/own/dir/a%20b.tx",
        "/s3/own/dir/a%20b.txt/",
        "/s3/own/dir//a%20b.txt",
        "/s3/own/dir/../dir/a%20b.txt",
        "/s3/own/dir/%2e%2e/dir/a%20b.txt",
        "/s3/own/./dir/a%20b.txt",
        "/s3/own/dir/a%2520b.txt",
        "/s3/own/dir/a+b.txt",
        "/s3/own/dir/a%20b.txt%00",
        "/s3//own/dir/a%20b.txt",
        "//s3/own/dir/a%20b.txt",
        "/own/dir/a%20b.txt",
        "/s3/tree-7/dir/a%20b.txt",
        "/s3/tree-8/dir/a%20b.txt",
        "/S3/own/dir/a%20b.txt",
      ];
      await refuseAll(paths.map((it) => [it, { ...request, path: it }]));
      const queries = [
        "a=1",
        "x-id=PutObject",
        "tagging",
        "partNumber=1&uploadId=1",
        "acl",
        "a=%ff",
      ];
      await refuseAll(queries.map((query) => [query, { ...request, query }]));
      await refuseAll(["POST", "DELETE"].map((method) => [method, { ...request, method }]));
      await refuseAll([
        ["body", { ...request, body: "Forged" }],
        ["longer body", { ...request, body: "forged " }],
        ["no body", { ...request, body: "" }],
        ["metadata", withHeader(request, "x-amz-meta-a", "2")],
        ["more metadata", withHeader(request, "x-amz-meta-b", "2")],
        ["tags", withHeader(request, "x-amz-tagging", "a=1")],
        ["a copy", withHeader(request, "x-amz-copy-source", "/own/dir/other")],
        ["host", withHeader(request, "Host", "example.com")],
        ["no metadata", without(request, "x-amz-meta-a")],
        ["payload", withHeader(request, "x-amz-content-sha256", "UNSIGNED-PAYLOAD")],
      ]);
      const listing = client.sign(list);
      const others = [
        "prefix=&list-type=2",
        "list-type=2",
        "list-type=2&prefix=dir%2F&prefix=",
        "",
      ];
      await refuseAll(others.map((query) => [query, { ...listing, query }]));
    },
  );
  await t.step("C 30 another time, day, region, service or key", async () => {
    const now = Date.now();
    const request = put("forged");
    const today = timeText(new Date()).slice(0, 8);
    await refuseAll([-24 * 60, -60, -16, 16, 60, 24 * 60, 525_600].map((minutes) => [
      `${minutes} minutes`,
      put("forged", { time: new Date(now + minutes * MINUTE_MS) }),
    ]));
    await refuseAll([
      ["another time", withHeader(request, "x-amz-date", timeText(new Date(now + MINUTE_MS)))],
      ["no time", without(request, "x-amz-date")],
      ["a date", withHeader(without(request, "x-amz-date"), "Date", new Date().toUTCString())],
      ["month 13", withHeader(request, "x-amz-date", `${today.slice(0, 4)}1301T000000Z`)],
      ["another day", restated(request, today, "20250101")],
      ["another region", restated(request, "us-east-1", "eu-west-1")],
      ["another service", restated(request, "/s3/", "/ec2/")],
      ["another end", restated(request, "aws4_request", "aws4_reques")],
      [
        "another key",
        restated(request, /Credential=SR[A-Z2-7]{18}/, "Credential=SRAAAAAAAAAAAAAAAAAA"),
      ],
      [
        "another form of key",
        restated(request, /Credential=SR[A-Z2-7]{18}/, "Credential=AKIDEXAMPLE"),
      ],
      ["no key", restated(request, /Credential=SR[A-Z2-7]{18}/, "Credential=")],
      ["no payload", without(request, "x-amz-content-sha256")],
      ["no signature", without(request, "Authorization")],
      ["a bearer", withHeader(request, "Authorization", "Bearer x")],
      ["version 2", withHeader(request, "Authorization", "AWS AKID:c2lnbmF0dXJl")],
      ["version 4A", restated(request, "AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256")],
    ]);
    const foreign = other.sign({ method: "PUT", path: "/s3/tree-7/dir/x", body: "forged" });
    await refuseAll([["another user", foreign]]);
  });
  await t.step("C 30 signed headers that are not all, in order, each once", async () => {
    const request = put("forged");
    const names = "host;x-amz-content-sha256;x-amz-date;x-amz-meta-a";
    const lists = [
      names.split(";").reverse().join(";"),
      "x-amz-content-sha256;host;x-amz-date;x-amz-meta-a",
      "x-amz-content-sha256;x-amz-date;x-amz-meta-a",
      "host;x-amz-content-sha256;x-amz-date",
      "host;host;x-amz-content-sha256;x-amz-date;x-amz-meta-a",
      `${names};`,
      `;${names}`,
      names.toUpperCase(),
      `${names};x-amz-zero`,
      "",
    ];
    await refuseAll(lists.map((it) => [it, restated(request, names, it)]));
  });
  await t.step(
    "C 30 presigned addresses that were changed, are too old, or valid for too long",
    async () => {
      const now = Date.now();
      const request = client.presign({ method: "PUT", path, body: "forged" });
      const replaced = (name: string, value: string) => {
        const query = request.query.replace(new RegExp(`(?<=${name}=)[^&]*`), value);
        return [`${name}=${value}`, { ...request, query }] as const;
      };
      const at = (minutes: number, expires: string) =>
        client.presign({ method: "PUT", path, time: new Date(now + minutes * MINUTE_MS) }, expires);
      await refuseAll([
        replaced("X-Amz-Expires", "61"),
        replaced("X-Amz-Date", timeText(new Date(now + MINUTE_MS))),
        replaced("X-Amz-SignedHeaders", ""),
        replaced("X-Amz-Algorithm", "AWS4-HMAC-SHA512"),
        ["too long", at(0, "604801")],
        ["never", at(0, "0")],
        ["negative", at(0, "-1")],
        ["no number", at(0, "1e3")],
        ["expired", at(-2, "60")],
        ["expired after a week", at(-8 * 24 * 60, "604800")],
        ["not yet", at(16, "604800")],
        ["twice", { ...request, query: `${request.query}&${request.query}` }],
        ["one more", { ...request, query: `${request.query}&X-Amz-Date=20260101T000000Z` }],
        ["a parameter", { ...request, query: `${request.query}&tagging=` }],
        ["metadata", withHeader(request, "x-amz-meta-b", "1")],
        ["a session", { ...request, query: `${request.query}&X-Amz-Security-Token=a` }],
        [
          "signed twice",
          withHeader(request, "Authorization", put("forged").headers.Authorization ?? ""),
        ],
      ]);
      const names = request.query.split("&");
      await refuseAll(names.map((name) => {
        const query = names.filter((it) => it !== name).join("&");
        return [`without ${name}`, { ...request, query }] as const;
      }));
    },
  );
  await t.step("C 30 chunks that were changed, left out, repeated or reordered", async () => {
    const chunks = ["forged 1", "forged 2", "forged 3"];
    const request = client.signChunks({ method: "PUT", path }, chunks);
    const body = String(request.body);
    const lines = body.split("\r\n");
    const joined = (order: readonly number[]) => {
      const pairs = order.flatMap((at) => [lines[2 * at] ?? "", lines[2 * at + 1] ?? ""]);
      return [`chunks ${order}`, {
        ...request,
        body: `${pairs.join("\r\n")}\r\n${lines[6]}\r\n\r\n`,
      }] as const;
    };
    await refuseAll([
      ["content", { ...request, body: body.replace("forged 2", "forged 4") }],
      ["no end", { ...request, body: body.slice(0, body.lastIndexOf("0;chunk")) }],
      ["end of another", {
        ...request,
        body: body.replace(/0;chunk-signature=\w{64}/, `0;chunk-signature=${"0".repeat(64)}`),
      }],
      ["no signatures", { ...request, body: body.replaceAll(/;chunk-signature=\w{64}/g, "") }],
      ["size", { ...request, body: body.replace(/^8/, "7") }],
      ["larger size", { ...request, body: body.replace(/^8/, "fffffff") }],
      ["negative size", { ...request, body: body.replace(/^8/, "-8") }],
      ["no line", { ...request, body: "forged" }],
      ["long line", { ...request, body: "0".repeat(20_000) }],
      ["trailer", {
        ...request,
        body: `${body.slice(0, -2)}x-amz-checksum-crc32:AAAAAA==\r\n\r\n`,
      }],
      [
        "unsigned",
        withHeader(request, "x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
      ],
      ["length", withHeader(request, "x-amz-decoded-content-length", "8")],
      joined([1, 0, 2]),
      joined([0, 1]),
      joined([0, 0, 1, 2]),
      joined([0, 2, 1]),
    ]);
    const trailed = client.signChunks({ method: "PUT", path }, chunks, {
      "x-amz-checksum-crc32": "AAAAAA==",
    });
    const text = String(trailed.body);
    await refuseAll([
      ["wrong checksum", trailed],
      ["changed checksum", { ...trailed, body: text.replace("AAAAAA==", "AAAAAQ==") }],
      ["no trailer", { ...trailed, body: text.replace(/x-amz-checksum-crc32:.*\r\n/, "") }],
      ["no signature", { ...trailed, body: text.replace(/x-amz-trailer-signature:.*\r\n/, "") }],
      ["another", {
        ...trailed,
        body: text.replace("x-amz-checksum-crc32", "x-amz-checksum-sha1"),
      }],
    ]);
  });
  await t.step("C 30 keys that cannot be paths, however they are signed", async () => {
    const keys = [
      "..",
      "../x",
      "a/../x",
      "a/..",
      "a//x",
      "/x",
      "a/./x",
      ".",
      "%00",
      "a%00",
      "a%0Ab",
      "a%5Cb",
      "%20a",
      "a%20",
      "a%20/x",
      "%2e%2e/x",
      "a%2f..%2fx",
      "a:b",
      "a%3Fb",
      "a*",
      "a%7Cb",
      "a".repeat(256),
      Array.from({ length: 300 }, () => "a").join("/"),
      "%ff",
      "%ED%A0%80",
      "a%2",
    ];
    for (const key of keys) {
      const path = `/s3/own/${key}`;
      const request = attempt(() => client.sign({ method: "PUT", path, body: "forged" })) ??
        { ...signed, path };
      const { status, body } = await client.send(request);
      // Signatures have no encoded slash.
      const expected = key.includes("%2f") ? "403 SignatureDoesNotMatch" : "400 InvalidArgument";
      assert.equal(`${status} ${/<Code>(\w+)</.exec(body)?.[1]}`, expected, `${key}: ${body}`);
    }
    await refuseAll([]);
  });
});

Deno.test("C 30 requests to the S3 door that were changed at random are refused", async () => {
  await using server = await TestServer.start();
  const requests = 10 * KINDS.length;
  const sent = await sendForged(server, { seed: 30, requests });
  assert.deepEqual([...sent.values()], KINDS.map(() => 10));
});

/** What a function returns, unless it throws. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
