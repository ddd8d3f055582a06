import * as assert from "node:assert/strict";
import { redactedExcerpt } from "../../../../../core/scanner/knowledge/secrets/redacted_excerpt.ts";
import {
  findSecrets,
  redact,
  secretByName,
} from "../../../../../core/scanner/knowledge/secrets/find_secrets.ts";

/** Characters as random as those of a credential, the same ones each time. */
function chars(length: number, alphabet: string): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join("");
}

const HEX = "0123456789abcdef";
const ALL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Url = (text: string) =>
  btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** Put together here, so that no credential stands in this file: text around, credential, kind, code. */
const SECRETS: readonly (readonly [string, string, string])[] = [
  ["-----BEGIN RSA PRIVATE KEY-----\n" + chars(64, ALL) + "\n", "private key", "S703"],
  ["-----BEGIN PRIVATE KEY-----\\n" + chars(64, ALL), "private key", "S703"],
  ["-----BEGIN OPENSSH PRIVATE KEY-----\r\n" + chars(64, ALL), "private key", "S703"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" +
    chars(64, ALL),
    "private key",
    "S703",
  ],
  ["AKIA" + "Q3EGRZ7XKLMNOP2S", "AWS access key", "S704"],
  ["aws_secret_access_key = " + chars(40, ALL), "AWS secret access key", "S704"],
  ["AIza" + chars(35, ALL), "Google API key", "S705"],
  ["GOCSPX-" + chars(28, ALL), "Google client secret", "S705"],
  ["AccountKey=" + chars(86, ALL) + "==", "Azure storage key", "S705"],
  ["dapi" + chars(32, HEX), "Databricks token", "S705"],
  ["ghp_" + chars(36, ALL), "GitHub token", "S701"],
  ["github_pat_" + chars(82, ALL), "GitHub token", "S701"],
  ["glpat-" + chars(20, ALL), "GitLab token", "S701"],
  ["hf_" + chars(34, ALL), "Hugging Face token", "S701"],
  ["sk-" + "ant-api03-" + chars(90, ALL), "Anthropic key", "S701"],
  ["sk-" + "proj-" + chars(60, ALL), "OpenAI key", "S701"],
  ["sk-" + chars(48, ALL), "OpenAI key", "S701"],
  ["sk_" + "live_" + chars(24, ALL), "Stripe key", "S701"],
  ["xox" + "b-" + chars(40, "0123456789"), "Slack token", "S701"],
  ["npm_" + chars(36, ALL), "npm token", "S701"],
  ["SG." + chars(22, ALL) + "." + chars(43, ALL), "SendGrid key", "S701"],
  ["ya29." + chars(60, ALL), "Google OAuth token", "S708"],
  ["Bearer " + chars(40, ALL), "bearer token", "S708"],
  [
    `${base64Url('{"alg":"HS256","typ":"JWT"}')}.${base64Url('{"sub":"42"}')}.${chars(43, ALL)}`,
    "JWT",
    "S707",
  ],
  ["postgres://app:" + "hunter2x@db.internal.net:5432/app", "database URL", "S706"],
  ["mongodb+srv://app:" + "hunter2x@cluster0.abc.net/x", "database URL", "S706"],
  ["redis://:" + "hunter2x@cache.internal.net", "database URL", "S706"],
  ["https://app:" + "hunter2x@mirror.internal.net/x", "password in a URL", "S702"],
  [
    "https://hooks.slack.com/" + "services/T0A1B2C3D/B0A1B2C3D/" + chars(24, ALL),
    "webhook",
    "S709",
  ],
  ["https://discord.com/" + "api/webhooks/843967201875340291/" + chars(68, ALL), "webhook", "S709"],
];

Deno.test("S701 to S709: credentials are known by their shapes, wherever they stand", async (t) => {
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
  ["base64", chars(200_000, `${ALL}+/`)],
  ["a public key", `-----BEGIN PUBLIC KEY-----\n${chars(64, ALL)}`],
  ["a header without a key", "starts with -----BEGIN PRIVATE KEY----- and so on"],
  ["the key of documentation", "AKIA" + "IOSFODNN7EXAMPLE"],
  ["a placeholder", "hf_" + "x".repeat(34)],
  ["a placeholder of words", "ghp_" + "yourTokenGoesHereexample".padEnd(36, "Z")],
  ["a URL without a password", "postgres://localhost:5432/app"],
  ["a usual password", "postgres://postgres:postgres@localhost/app"],
  ["a variable", "postgres://app:${PASSWORD}@db/app"],
  ["a link", "https://example.org/a:b@c"],
  ["a token of prose", "Bearer <token>"],
  [
    "JWT with no header",
    `${base64Url('{"x":"HS256","typ":"JWT"}')}.${base64Url('{"sub":"42"}')}.${chars(43, ALL)}`,
  ],
  [
    "the signed result of an evaluation",
    `verifyToken: ${base64Url('{"alg":"EdDSA","typ":"JWT"}')}.` +
    `${base64Url(`{"hash":"${chars(64, HEX)}","version":1}`)}.${chars(86, ALL)}`,
  ],
  ["layers", "model.layers.0.self_attn.q_proj.weight"],
];

Deno.test("hashes, ids, base64 and placeholders are no credentials", async (t) => {
  for (const [title, text] of NONE) {
    await t.step(title, () => assert.deepEqual([...findSecrets(text)], []));
  }
});

Deno.test("S702, S710: the name of a key says what its value is", () => {
  const random = chars(32, ALL);
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ["password", "hunter2!x", "S702"],
    ["dbPassword", "hunter2!x", "S702"],
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

Deno.test("of a short credential fewer characters are told", () => {
  assert.equal(secretByName("password", "hunter2!")?.lead, "h");
  assert.equal(secretByName("password", "hunt3r")?.lead, "");
});

Deno.test("positions are those of the credentials themselves", () => {
  const positions = (text: string) => [...findSecrets(text)].map(({ position }) => position);
  assert.deepEqual(positions(`aws_secret_access_key = "${chars(40, ALL)}"`), [25]);
  assert.deepEqual(positions(`x ghp_${chars(36, ALL)}`), [2]);
});

Deno.test("several credentials in one text are all taken out", () => {
  const [first, second] = ["ghp_" + chars(36, ALL), "AKIA" + "Q3EGRZ7XKLMNOP2S"];
  assert.equal(redact(`${first},${second}.`), "[GitHub token],[AWS access key].");
});

Deno.test("an excerpt is short, on one line and without control characters", () => {
  assert.equal(redactedExcerpt("a\n\tb\x00\x1b[31mc\u202ed"), "a b\ufffd\ufffd[31mc\ufffdd");
  assert.equal(redactedExcerpt("é".repeat(500)).length, 101);
});

Deno.test("no text takes long, however it is made", () => {
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
