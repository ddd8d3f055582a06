import * as assert from "node:assert/strict";
import { lfsPointerScanner } from "../../../../../core/scanner/formats/lfs_pointer/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { RecordingContext } from "../../recording_context.ts";

const OID = "4d7a2146".repeat(8);
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${OID}\nsize 4976698672\n`;

function scan(text: string) {
  const file = {
    name: "model.safetensors",
    source: memorySource(new TextEncoder().encode(text)),
    depth: 0,
  };
  const context = new RecordingContext();
  const checks = [...lfsPointerScanner.scan(file, context)];
  assert.deepEqual(context.members, []);
  return { matches: lfsPointerScanner.matches(file), checks };
}

Deno.test("S902 a Git LFS pointer instead of weights is critical and inconclusive", () => {
  const { matches, checks } = scan(POINTER);
  assert.ok(matches);
  const [check] = checks;
  assert.equal(check?.severity, "critical");
  assert.equal(check?.ruleCode, "S902");
  assert.equal(check?.incomplete, "git_lfs_pointer");
  assert.deepEqual(check?.details, { sha256: OID, size: 4976698672 });
  assert.match(check?.message ?? "", /4976698672/);
  assert.match(check?.why ?? "", /git lfs pull/);
});

Deno.test("S902 recognizes other forms of pointers", () => {
  const forms = [
    POINTER.replaceAll("\n", "\r\n"),
    POINTER.replace("git-lfs.github.com", "hawser.github.com"),
    POINTER.replace(/size.*/s, ""),
    "version https://git-lfs.github.com/spec/v1\n",
  ];
  for (const text of forms) {
    assert.ok(scan(text).matches, text);
    assert.equal(scan(text).checks[0]?.severity, "critical", text);
  }
});

Deno.test("does not match texts about pointers", () => {
  const others = [
    "",
    "v",
    ` ${POINTER}`,
    `# LFS\n${POINTER}`,
    POINTER + "x".repeat(1024),
    POINTER.slice(0, 30),
  ];
  for (const text of others) assert.equal(scan(text).matches, false, text.slice(0, 60));
});
