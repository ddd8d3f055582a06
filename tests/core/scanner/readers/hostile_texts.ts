/**
 * Reads texts of 8 MiB that are made to need much memory or time, and prints how often each reader
 * yielded something. Run it with little memory.
 */
import { decodeLatin1 } from "../../../../core/scanner/readers/bytes/bytes.ts";
import type { DocumentEvent } from "../../../../core/scanner/readers/document_event.ts";
import { readToml } from "../../../../core/scanner/readers/toml/read_toml.ts";
import { readYaml } from "../../../../core/scanner/readers/yaml/read_yaml.ts";
import { MIB } from "../../../../schemas/units.ts";

type Read = (text: string) => Iterable<DocumentEvent>;

const TEXTS: readonly (readonly [Read, head: string, repeated: string, tail: string])[] = [
  [readYaml, 'a: "', "x\n", '"'],
  [readYaml, 'a: "', "\\\\", '"'],
  [readYaml, 'a: "', "\\n", '"'],
  [readYaml, 'a: "', "\\u0041", '"'],
  [readYaml, 'a: "', " ", "x"],
  [readYaml, 'a: "x\xc2\x85', "\xc2\x85", '"'],
  [readYaml, "a: >\n", " x\n", ""],
  [readYaml, "a:\n", " x\n", ""],
  [readYaml, `a: &a ${"x".repeat(MIB)}\nb:\n`, "- *a\n", ""],
  [readYaml, "", "&a", ""],
  [readYaml, "", "[", ""],
  [readToml, 'a = "', "\\ ", '"'],
  [readToml, "[", '"', ""],
  [readToml, "a", " ", "= 1"],
];

/** A text of 8 MiB: the repeated part as often as it fits between head and tail. */
function textOf(head: string, repeated: string, tail: string): string {
  const bytes = new Uint8Array(8 * MIB).fill(0x20);
  const write = (text: string, at: number) => {
    for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  };
  const end = bytes.length - tail.length;
  write(head, 0);
  for (let at = head.length; at + repeated.length <= end; at += repeated.length) {
    write(repeated, at);
  }
  write(tail, end);
  return decodeLatin1(bytes);
}

for (const [read, head, repeated, tail] of TEXTS) {
  let count = 0;
  for (const _ of read(textOf(head, repeated, tail))) count++;
  console.log(`${read.name} ${JSON.stringify(repeated)} ${count}`);
}
