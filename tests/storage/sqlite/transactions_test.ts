import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { Transactions } from "../../../storage/sqlite/transactions.ts";
import { Ballast } from "../../../storage/disk/ballast.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** A table with transactions on it. */
async function openTable() {
  const directory = await TempDir.make();
  const connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  migrate(connection);
  connection.script("CREATE TABLE words (word TEXT NOT NULL) STRICT");
  return {
    connection,
    transactions: new Transactions(connection, new Ballast(directory.path, 0), {
      beginWork() {},
      rolledBack() {},
    }),
    add: (word: string | null) => connection.run("INSERT INTO words VALUES (:word)", { word }),
    get words() {
      return connection.all("SELECT word FROM words ORDER BY rowid").map(({ word }) => word);
    },
    async [Symbol.asyncDispose]() {
      connection[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

Deno.test("C 5.5 an attempt that throws is rolled back alone, the first one too", async () => {
  await using table = await openTable();
  const { transactions, add } = table;
  transactions.begin();
  for (const word of ["a", "b", "c", "d"]) {
    const attempt = () =>
      transactions.attempt(() => {
        add(word);
        if (word === "a" || word === "c") throw new RangeError(word);
        return word;
      });
    if (word === "a" || word === "c") assert.throws(attempt, RangeError);
    else assert.equal(attempt(), word);
  }
  transactions.commit();
  assert.deepEqual(table.words, ["b", "d"]);
});

Deno.test("C 5.5 when an attempt loses the transaction, later ones and the commit change nothing", async () => {
  await using table = await openTable();
  const { connection, transactions, add } = table;
  transactions.begin();
  transactions.attempt(() => add("before"));
  const lose = () =>
    transactions.attempt(() => {
      // SQLite does so itself when the disk is full.
      connection.run("ROLLBACK");
      throw new RangeError("lost");
    });
  assert.throws(lose, RangeError);
  assert.throws(() => transactions.attempt(() => add("after")), RangeError);
  assert.throws(() => transactions.commit(), RangeError);
  transactions.rollback();
  assert.deepEqual(table.words, []);
  transactions.begin();
  transactions.attempt(() => add("again"));
  transactions.commit();
  assert.deepEqual(table.words, ["again"]);
});

Deno.test("C 5.5 nothing is changed outside of a transaction", async () => {
  await using table = await openTable();
  const { transactions, add } = table;
  assert.throws(() => transactions.attempt(() => add("word")), /There is no transaction/);
  assert.throws(() => transactions.commit(), /There is no transaction/);
  assert.deepEqual(table.words, []);
});
