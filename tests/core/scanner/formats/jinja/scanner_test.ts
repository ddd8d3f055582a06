import * as assert from "node:assert/strict";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { jinjaScanner } from "../../../../../core/scanner/formats/jinja/scanner.ts";
import { RecordingContext } from "../../recording_context.ts";

Deno.test("C 16 a template file passes one check, or has findings", () => {
  const scan = (text: string): readonly Check[] => {
    const source = memorySource(new TextEncoder().encode(text));
    return [
      ...jinjaScanner.scan(
        { source, name: "chat_template.jinja", depth: 0 },
        new RecordingContext(),
      ),
    ];
  };
  const clean = scan("{{ messages[0].content }}");
  assert.deepEqual(clean.map(({ name, status }) => [name, status]), [["Jinja Template", "passed"]]);
  const [found] = scan("{{ x.__class__ }}");
  assert.equal(found?.severity, "critical");
  assert.equal(found?.message, 'The file: The template accesses "__class__"');
  assert.ok(
    scan("a".repeat(2 ** 21)).every(({ incomplete }) => incomplete === "template_too_long"),
  );
  const matches = (name: string) =>
    jinjaScanner.matches({ name, source: memorySource(new Uint8Array()), depth: 0 });
  assert.deepEqual(["a.jinja", "A.J2", "a.jinja2", "a.txt", "jinja"].map(matches), [
    true,
    true,
    true,
    false,
    false,
  ]);
});
