import { checkSequences } from "../fuzz/tree_model.ts";
import { useDatabase, useObjectStore } from "../support/engines.ts";
import { Postgres } from "../support/postgres.ts";
import { S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";

const hasPostgres = Postgres.isInstalled;
const hasStore = S3Engine.isInstalled;

Deno.test({
  name: "C 5 and C 23 the service agrees with its model over engines of others",
  ignore: !hasPostgres && !hasStore,
  async fn(t) {
    await using engines = new AsyncDisposableStack();
    const postgres = hasPostgres ? engines.use(await Postgres.start()) : undefined;
    const store = hasStore ? engines.use(await S3Engine.start()) : undefined;
    const check = (name: string, database?: Postgres, objects?: S3Engine) =>
      t.step({
        name: `C 23 ${name}`,
        ignore: database === undefined && objects === undefined,
        async fn() {
          await using directory = await TempDir.make();
          if (database) useDatabase(directory.path, await database.createDatabase());
          if (objects) useObjectStore(directory.path, objects);
          const server = { dataDir: directory.path };
          await checkSequences({ seed: 20261123, sequences: 3, steps: 30, server });
        },
      });
    await check("PostgreSQL and a directory", postgres);
    await check("SQLite and an object store", undefined, store);
    await check("PostgreSQL and an object store", postgres, postgres && store);
  },
});
