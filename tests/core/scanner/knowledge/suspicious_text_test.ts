import * as assert from "node:assert/strict";
import { findSuspiciousText } from "../../../../core/scanner/knowledge/suspicious_text.ts";

Deno.test("C 16 finds calls of dangerous Python names in a text by the rule of each", async (t) => {
  const rows: readonly (readonly [text: string, ruleCode: string])[] = [
    ["eval(x)", "S104"],
    ["builtins.exec(x)", "S104"],
    ["__import__('os')", "S104"],
    ["compile('a', 'b', 'exec')", "S105"],
    ["os.system('id')", "S101"],
    ["os.execve('/bin/sh', [], {})", "S101"],
    ["os.startfile('a.exe')", "S101"],
    ["posix.spawnv(0, 'a', [])", "S101"],
    ["subprocess.run(['id'])", "S103"],
    ["subprocess.getoutput('id')", "S103"],
    ["pty.spawn('sh')", "S103"],
    ["asyncio.create_subprocess_shell('id')", "S103"],
    ["webbrowser.open('a')", "S109"],
    ["importlib.import_module('os')", "S107"],
    ["runpy.run_path('a')", "S107"],
    ["cPickle.loads(b)", "S213"],
    ["dill.load(b)", "S213"],
    ["base64.b64decode(b)", "S601"],
    ["zlib.decompress(b)", "S601"],
    ["().__class__.__mro__", "S104"],
  ];
  for (const [text, ruleCode] of rows) {
    await t.step(text, () => {
      assert.deepEqual(findSuspiciousText(text).map((found) => found.ruleCode), [ruleCode]);
    });
  }
});

Deno.test("C 16 finds nothing in prose, and in code of ordinary use", () => {
  const text = "It serves requests (asyncio, multiprocessing) and times them with timeit. " +
    "image = Image.open(requests.get(url, stream=True).raw); os.path.join(a, b); re.compile(x); " +
    "model.eval(); asyncio.run(main()); importlib.metadata.version('x'); commands. Run (it)";
  assert.deepEqual(findSuspiciousText(text), []);
});

Deno.test("takes linear time in any text", () => {
  const pieces = ["os.", "os.system", "subprocess.a", "base64.", "curl |", "<a ", "../", "eval ("];
  for (const piece of pieces) {
    const text = piece.repeat(Math.floor(1_000_000 / piece.length));
    assert.ok(findSuspiciousText(text).every(({ kind }) => kind === "path"), piece);
  }
});
