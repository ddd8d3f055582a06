import * as assert from "node:assert/strict";
import { documentOf, exact, gramsOf, type SearchDocument } from "../../../core/search_terms.ts";
import { TO_ROWS } from "../../../storage/postgres/search_engine.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";

const startedPostgres = sharedPostgres();

const TERMS = `SELECT DISTINCT unnest(search_terms(user_id, path, facts)) AS term
  FROM json_to_recordset(:documents::json) AS (user_id bigint, path text, facts text)`;

Deno.test({ name: "The terms of a document", ignore: !Postgres.isInstalled }, async (t) => {
  await using store = await openPostgresStore(await startedPostgres().createDatabase());
  const termsOf = async (documents: string) =>
    (await store.database.all(TERMS, { documents })).map(({ term }) => String(term)).sort();
  const documents = [
    documentOf({ path: "Models/A chat/ß.bin", isDir: false, facts: {} }),
    documentOf({
      path: "m",
      isDir: true,
      facts: {
        format: "gguf",
        license: "Apache  License 2.0",
        parameters: 5000,
        tags: ["kind:model", "😀😀😀", "a\n\nline"],
        base_models: ["words of a long fact ".repeat(40).trim()],
        card: "known elsewhere",
      },
    }),
  ];
  for (const [index, document] of documents.entries()) {
    await t.step(`C 29 are parts of its words and whole facts: document ${index}`, async () => {
      const rows = TO_ROWS.documents([{ id: 1, userId: 7, document }]);
      assert.deepEqual(await termsOf(rows), expected(document).map((it) => `7:${it}`).sort());
    });
  }
  await t.step("C 31 one of the former release is found by all its facts", async () => {
    const rows = JSON.stringify([{ user_id: 7, path: "x", facts: "gguf\nkind:file" }]);
    const terms = new Set(await termsOf(rows));
    for (const term of ["ggu", "guf", "=gguf", "=kind:file"]) assert.ok(terms.has(`7:${term}`));
  });
});

function expected({ path, values, marks }: SearchDocument): string[] {
  const words = [path, ...values].flatMap((it) => it.split(/[ \n]/));
  const wholes = [...marks, ...values].flatMap((it) => it.split("\n")).filter((it) => it !== "");
  return [...new Set([...words.flatMap(gramsOf), ...wholes.map(exact)])];
}
