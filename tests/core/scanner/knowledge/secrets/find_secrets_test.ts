import * as assert from "node:assert/strict";
import { ALPHANUMERIC, base64Url, chars, HEX, SECRETS } from "./sample_secrets.ts";
import { redactedExcerpt } from "../../../../../core/scanner/knowledge/secrets/redacted_excerpt.ts";
import {
  findSecrets,
  redact,
  secretByName,
} from "../../../../../core/scanner/knowledge/secrets/find_secrets.ts";

Deno.test("S701 to S709: finds credentials by their shapes, anywhere in a text", async (t) => {
  for (const [secret, kind, ruleCode] of SECRETS) {
    await t.step(`${kind} ${secret.slice(0, 10)}`, () => {
      const text = `before "${secret}" after`;
      const found = [...findSecrets(text)];
      assert.deepEqual(found.map((each) => [each.kind, each.ruleCode]), [[kind, ruleCode]]);
      assert.ok(
        found.every(({ lead, position }) => lead.length <= 4 && text.startsWith(lead, position)),
      );
    });
    await t.step(`${kind} ${secret.slice(0, 10)} is not shown`, () => {
      const shown = redactedExcerpt(`before "${secret}" after`);
      assert.ok(shown.includes(`[${kind}]`), shown);
      assert.equal(shown.includes(secret.slice(-12, -4)), false, shown);
    });
  }
});

const NONE: readonly (readonly [string, string])[] = [
  ["MD5", chars(32, HEX)],
  ["SHA-1", chars(40, HEX)],
  ["SHA-256", `sha256:${chars(64, HEX)}`],
  ["UUID", "123e4567-e89b-12d3-a456-426614174000"],
  ["base64", chars(200_000, `${ALPHANUMERIC}+/`)],
  ["a public key", `-----BEGIN PUBLIC KEY-----\n${chars(64, ALPHANUMERIC)}`],
  ["a header without a key", "starts with -----BEGIN PRIVATE KEY----- and so on"],
  ["the key of documentation", "AKIA" + "IOSFODNN7EXAMPLE"],
  ["a placeholder", "hf_" + "x".repeat(34)],
  ["a placeholder of words", "ghp_" + "yourTokenGoesHereexample".padEnd(36, "Z")],
  ["a URL without a password", "postgres://localhost:5432/app"],
  ["a usual password", "postgres://postgres:postgres@localhost/app"],
  ["a variable", "postgres://app:${PASSWORD}@db/app"],
  ["a link", "https://example.org/a:b@c"],
  ["a mail address", "http://mailto:name@domain.com"],
  ["a token of prose", "Bearer <token>"],
  [
    "JWT with no header",
    `${base64Url('{"x":"HS256","typ":"JWT"}')}.${base64Url('{"sub":"42"}')}.${
      chars(43, ALPHANUMERIC)
    }`,
  ],
  [
    "the signed result of an evaluation",
    `verifyToken: ${base64Url('{"alg":"EdDSA","typ":"JWT"}')}.` +
    `${base64Url(`{"hash":"${chars(64, HEX)}","version":1}`)}.${chars(86, ALPHANUMERIC)}`,
  ],
  ["layers", "model.layers.0.self_attn.q_proj.weight"],
];

Deno.test("ignores hashes, ids, base64 and placeholders", async (t) => {
  for (const [title, text] of NONE) {
    await t.step(title, () => assert.deepEqual([...findSecrets(text)], []));
  }
});

Deno.test("S702, S710: recognizes a value by the name of its key", () => {
  const random = chars(32, ALPHANUMERIC);
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ["password", "hunter2!x", "S702"],
    ["dbPassword", "hunter2!x", "S702"],
    ["Windows-password", "Windows-password", undefined],
    ["password", "mots-de-passe", undefined],
    ["password", "Passwörter", undefined],
    ["password", "пароль", undefined],
    ["api_key", random, "S701"],
    ["api-key", random, "S701"],
    ["client_secret", random, "S708"],
    ["aws_secret_access_key", random, "S704"],
    ["secret", random, "S710"],
    ["password", "string", undefined],
    ["password", "MasterUserPassword", undefined],
    ["password", "arn:aws:iam::aws:policy/X", undefined],
    ["password", "${PASSWORD}", undefined],
    ["password", "<secret>", undefined],
    ["api_key", "the key of the service", undefined],
    ["api_key", "environment-variable", undefined],
    ["bos_token", random, undefined],
    ["token", random, undefined],
    ["commit", random, undefined],
    ["tokenizer_class", "LlamaTokenizerFast2", undefined],
  ];
  for (const [key, value, ruleCode] of rows) {
    assert.equal(secretByName(key, value)?.ruleCode, ruleCode, `${key}: ${value}`);
  }
});

Deno.test("shows fewer characters of a short credential", () => {
  assert.equal(secretByName("password", "hunter2!")?.lead, "h");
  assert.equal(secretByName("password", "hunt3r")?.lead, "");
});

Deno.test("returns the positions of the credentials themselves", () => {
  const positions = (text: string) => [...findSecrets(text)].map(({ position }) => position);
  assert.deepEqual(positions(`aws_secret_access_key = "${chars(40, ALPHANUMERIC)}"`), [25]);
  assert.deepEqual(positions(`x ghp_${chars(36, ALPHANUMERIC)}`), [2]);
});

Deno.test("redacts every credential in a text", () => {
  const [first, second] = ["ghp_" + chars(36, ALPHANUMERIC), "AKIA" + "Q3EGRZ7XKLMNOP2S"];
  assert.equal(redact(`${first},${second}.`), "[GitHub token],[AWS access key].");
});

Deno.test("takes linear time in any text", () => {
  for (
    const piece of [
      "eyJ",
      "postgres://a:",
      "https://a:",
      "Bearer ",
      "-----BEGIN ",
      "A",
      "\\n",
      "sk-",
      "secret_access_key",
    ]
  ) {
    const text = piece.repeat(Math.floor(1_000_000 / piece.length));
    assert.deepEqual([...findSecrets(text)].length, 0, piece);
  }
});

Deno.test("redact() replaces thousands of credentials in the time of one pass", () => {
  const token = "ghp_" + chars(36, ALPHANUMERIC);
  const text = `${token} and `.repeat(20_000);
  assert.equal(redact(text), "[GitHub token] and ".repeat(20_000));
});
