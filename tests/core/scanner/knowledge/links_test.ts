import * as assert from "node:assert/strict";
import { findLinks, runsDownload } from "../../../../core/scanner/knowledge/links.ts";

Deno.test("S308, S309: judges a link by its scheme, host and user name", async (t) => {
  const rows: readonly (readonly [text: string, target: string, suspicion?: string])[] = [
    ["see https://example.org/a?b=c.", "https://example.org"],
    ["http://127.0.0.1:8000/v1", "http://127.0.0.1"],
    ["http://localhost:3000", "http://localhost"],
    ["http://203.0.113.7/x", "http://203.0.113.7", "an IP address instead of a name"],
    ["http://0x7f000001/x", "http://0x7f000001", "an IP address instead of a name"],
    ["http://[2001:db8::1]/x", "http://[2001:db8::1]", "an IP address instead of a name"],
    ["https://bit.ly/x", "https://bit.ly", "a link shortener"],
    ["https://www.bit.ly/x", "https://www.bit.ly", "a link shortener"],
    ["https://pastebin.com/raw/x", "https://pastebin.com", "an anonymous paste or file host"],
    ["https://a.ngrok.io", "https://a.ngrok.io", "a host that captures or forwards requests"],
    ["https://me@example.org", "https://example.org", "a user name before the host"],
    ["https://xn--e1afmkfd.org", "https://xn--e1afmkfd.org", "non-ASCII letters in the host name"],
    ["ldap://example.org/x", "ldap://example.org", "the scheme ldap"],
    ["file:///etc/passwd", "file://…", "a link to a local file"],
    ["javascript:alert(1)", "javascript:", "a link that runs a script"],
    ["\\\\server\\share", "\\\\…", "a network path"],
  ];
  for (const [text, target, suspicion] of rows) {
    await t.step(text, () => {
      const found = [...findLinks(text)].map((link) => [link.target, link.suspicion]);
      assert.deepEqual(found, [[target, suspicion]]);
    });
  }
});

Deno.test("ignores what only looks like a link", () => {
  for (
    const text of ["", "https://", "http", "habit.ly/x", "C:/a//b", "a:://b", "file://mapping.json"]
  ) {
    assert.deepEqual([...findLinks(text)], [], text);
  }
  const [link] = findLinks("https://notbit.ly/x");
  assert.equal(link?.suspicion, undefined);
});

Deno.test("S504: recognizes commands that download something and run it", () => {
  const commands = [
    "curl -s http://a | sh",
    "wget a && python x",
    'bash -c "$(curl a)"',
    "bash <(curl -s http://a)",
    "source <(wget -qO- http://a)",
    "x; . <(curl a)",
    'eval "$(curl a)"',
    "eval `wget -qO- a`",
    "curl a -o x && chmod +x x && ./x",
    "wget a; chmod 755 a; ./a",
    "curl a | python -",
    "curl a | python3 -u",
  ];
  for (const text of commands) {
    assert.equal(runsDownload(text), true, text);
  }
  const plain = [
    "curl -O https://example.org/a",
    "download it and run the shell",
    "wget a\nchmod 644 a",
    'eval "$(conda shell.bash hook)"',
    "curl -sL a | perl -nle 'print $1'",
    "curl a | python3 -m json.tool",
  ];
  for (const text of plain) {
    assert.equal(runsDownload(text), false, text);
  }
});
