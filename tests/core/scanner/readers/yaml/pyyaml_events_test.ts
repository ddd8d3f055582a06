import * as assert from "node:assert/strict";
import { readYaml } from "../../../../../core/scanner/readers/yaml/read_yaml.ts";
import { resolvePlain } from "../../../../../core/scanner/readers/yaml/scalars.ts";
import { asLatin1 } from "../document_events.ts";

/** A tag, or a scalar with its path: `k` is a key, `p` a plain value and `q` any other value. */
type Row = string | readonly [path: string, text: string, kind: "k" | "p" | "q"];

/** What a parser reads in a text, up to its error if it rejects the text. */
interface Reading {
  readonly rows: readonly Row[];
  readonly rejected?: true;
}

/** A text, what PyYAML reads in it, and what libyaml does if that is something else. */
interface Line extends Reading {
  readonly text: string;
  readonly libyaml?: Reading;
}

const FIXTURE = new URL("../../../../fixtures/yaml_events.jsonl", import.meta.url);

/** The lines of the fixture. makers/yaml_events.py, which writes it, describes them. */
async function readFixture(): Promise<Line[]> {
  const [, ...lines] = (await Deno.readTextFile(FIXTURE)).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** What our reader yields: rows that compare as texts, and the messages of its defects. */
function ours(text: string): { rows: string[]; defects: string[] } {
  const rows: string[] = [];
  const defects: string[] = [];
  for (const event of readYaml(asLatin1(text))) {
    if (event.kind === "tag") rows.push(event.tag);
    if (event.kind === "defect") defects.push(event.message);
    if (event.kind !== "key" && event.kind !== "value") continue;
    rows.push(JSON.stringify([event.path.join("/"), event.value, event.kind === "key"]));
  }
  return { rows, defects };
}

function asText(row: Row): string {
  if (typeof row === "string") return row;
  const [path, text, kind] = row;
  return JSON.stringify([path, kind === "p" ? resolvePlain(text) : text, kind === "k"]);
}

/** The rows that are not among the others, in order. */
function missing(rows: readonly Row[], among: readonly string[]): Row[] {
  let next = 0;
  return rows.filter((row) => {
    const at = among.indexOf(asText(row), next);
    if (at >= 0) next = at + 1;
    return at < 0;
  });
}

/**
 * Whether a row is nothing but the last scalar before the error of a parser, of which ours has the
 * beginning or more. At an error, a key can be taken for a value, or a value can end early.
 */
function isCutByError(
  missed: readonly Row[],
  { rows, rejected }: Reading,
  read: string[],
): boolean {
  const [row] = missed;
  if (!rejected || missed.length > 1 || row !== rows.at(-1) || !Array.isArray(row)) return false;
  return read.some((each) => {
    if (!each.startsWith("[")) return false;
    const text = String(JSON.parse(each)[1]);
    return text.startsWith(row[1]) || row[1].startsWith(text);
  });
}

/** Texts that PyYAML and libyaml reject for different reasons: each accepts what the other does not. */
const REJECTED_IN_TWO_WAYS = /![^\s]*[,[\]]|\w\?\w|^%(?!YAML|TAG)/m;

/** Texts of which we yield the readings of several loaders. */
const READ_TWICE = /![^\s]*[,[\]]|[\x85\u2028\u2029]/;

Deno.test("readYaml() yields what PyYAML reads", async (t) => {
  const lines = await readFixture();
  const accepted = lines.filter(({ rejected }) => !rejected);
  const rejected = lines.filter(({ rejected }) => rejected);
  assert.ok(accepted.length > 2000 && rejected.length > 1000, `${accepted.length} accepted`);

  await t.step("accepted texts: the same tags, keys and values, and no defect", () => {
    for (const { text, rows } of accepted) {
      const read = ours(text);
      assert.deepEqual(read.defects, [], JSON.stringify(text));
      const compared = READ_TWICE.test(text) ? read.rows.slice(0, rows.length) : read.rows;
      assert.deepEqual(compared, rows.map(asText), JSON.stringify(text));
    }
  });
  await t.step("rejected texts: all up to the error, and a defect", () => {
    for (const { text, rows, libyaml } of rejected) {
      const read = ours(text);
      const missed = missing(rows, read.rows);
      const isCut = isCutByError(missed, { rows, rejected: true }, read.rows);
      if (!isCut) assert.deepEqual(missed, [], JSON.stringify(text));
      const isAccepted = libyaml !== undefined && !libyaml.rejected;
      if (isAccepted || REJECTED_IN_TWO_WAYS.test(text)) continue;
      assert.equal(read.defects.length, 1, JSON.stringify(text));
    }
  });
  await t.step("texts that libyaml reads otherwise: its reading too", () => {
    for (const { text, libyaml } of lines) {
      if (libyaml === undefined) continue;
      const read = ours(text);
      const missed = missing(libyaml.rows, read.rows);
      if (!isCutByError(missed, libyaml, read.rows)) {
        assert.deepEqual(missed, [], JSON.stringify(text));
      }
    }
  });
});
