import * as assert from "node:assert/strict";
import type { Client } from "../support/client.ts";
import { ROOT } from "../support/child_server.ts";
import { noise } from "../support/random.ts";
import { accessKeyOf } from "../support/s3_client.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, type ProgramOutput, pythonWith, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** What a test of a client works with. */
interface Room {
  /** A directory with `large.bin` of 12 MB, `models/` with a few small files, and nothing else. */
  readonly path: string;
  readonly origin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly api: Client;
  /** Runs a program that must succeed, and returns what it prints. */
  readonly run: (program: string, ...args: string[]) => Promise<string>;
}

const LARGE_BYTES = 12_000_000;
const NAMES = ["a b+ü.txt", "#&%20.bin", "c/d.txt"];

/** Declares a test of a client, which is skipped where that is not installed. */
function clientTest(name: string, isInstalled: boolean, body: (room: Room) => Promise<void>): void {
  Deno.test({
    name: `C 30 ${name}`,
    ignore: !isInstalled,
    async fn() {
      await using server = await TestServer.start();
      await using directory = await TempDir.make();
      const { path } = directory;
      const { id, secret } = await accessKeyOf(server);
      const env = {
        HOME: path,
        AWS_ACCESS_KEY_ID: id,
        AWS_SECRET_ACCESS_KEY: secret,
        AWS_DEFAULT_REGION: "us-east-1",
        AWS_ENDPOINT_URL_S3: `${server.origin}/s3`,
        AWS_EC2_METADATA_DISABLED: "true",
        PATH: Deno.env.get("PATH") ?? "",
      };
      await Deno.writeFile(`${path}/large.bin`, noise(LARGE_BYTES, 1));
      await Deno.mkdir(`${path}/models/c`, { recursive: true });
      for (const [seed, file] of NAMES.entries()) {
        await Deno.writeFile(`${path}/models/${file}`, noise(1000, seed));
      }
      const succeed = async (program: string, ...args: string[]) => {
        // Not all clients take what else may be set, such as a list of authorities.
        const output = await run(program, args, { cwd: path, env, clearEnv: true });
        assert.equal(output.code, 0, `${program} ${args.join(" ")}\n${textOf(output)}`);
        return textOf(output);
      };
      const { origin } = server;
      await body({ path, origin, env, api: await server.as(7), run: succeed });
    },
  });
}

function textOf({ stdout, stderr }: ProgramOutput): string {
  return stdout + stderr;
}

async function assertSame(left: string, right: string): Promise<void> {
  assert.deepEqual(await Deno.readFile(left), await Deno.readFile(right), right);
}

const script = (name: string) => `${ROOT}tests/clients/s3/${name}_client.py`;
const PYTHONS = {
  boto3: await pythonWith("boto3"),
  s3fs: await pythonWith("s3fs"),
  duckdb: await pythonWith("duckdb, duckdb_ext"),
  mlflow: await pythonWith("mlflow, boto3"),
};

clientTest("boto3 reads and writes a bucket", PYTHONS.boto3 !== undefined, async ({ run }) => {
  await run(PYTHONS.boto3 ?? "", script("boto3"), "large.bin", "models/c/d.txt");
});

clientTest("s3fs reads and writes a bucket", PYTHONS.s3fs !== undefined, async ({ run }) => {
  await run(PYTHONS.s3fs ?? "", script("s3fs"), "large.bin");
});

clientTest("DuckDB writes and reads Parquet", PYTHONS.duckdb !== undefined, async ({ run }) => {
  await run(PYTHONS.duckdb ?? "", script("duckdb"));
});

clientTest("MLflow keeps artifacts", PYTHONS.mlflow !== undefined, async ({ run }) => {
  await run(PYTHONS.mlflow ?? "", script("mlflow"), "models/c");
});

clientTest(
  "DVC pushes to a bucket, and pulls from it",
  await hasProgram("dvc", "--version") && PYTHONS.s3fs !== undefined,
  async ({ path, run, api }) => {
    await run("dvc", "init", "-q", "--no-scm");
    await run("dvc", "remote", "add", "-d", "store", "s3://own/dvc");
    await run("dvc", "add", "-q", "large.bin", "models");
    await run("dvc", "push", "-q");
    assert.ok((await api.tree()).length > NAMES.length);
    const large = await Deno.readFile(`${path}/large.bin`);
    for (const it of ["large.bin", ".dvc/cache"]) {
      await Deno.remove(`${path}/${it}`, { recursive: true });
    }
    await run("dvc", "pull", "-q");
    assert.deepEqual(await Deno.readFile(`${path}/large.bin`), large);
  },
);

clientTest(
  "aws copies, compares, lists and deletes",
  await hasProgram("aws", "--version"),
  async ({ path, run, api }) => {
    const aws = (...args: string[]) => run("aws", "s3", ...args);
    await aws("cp", "--quiet", "large.bin", "s3://own/large.bin");
    await aws("cp", "--quiet", "s3://own/large.bin", "copy.bin");
    await assertSame(`${path}/large.bin`, `${path}/copy.bin`);
    await aws("sync", "--quiet", "models", "s3://own/models");
    assert.equal(await aws("sync", "models", "s3://own/models"), "");
    await aws("mv", "--quiet", "--recursive", "s3://own/models", "s3://own/moved");
    await aws("sync", "--quiet", "s3://own/moved", "moved");
    for (const name of NAMES) await assertSame(`${path}/models/${name}`, `${path}/moved/${name}`);
    assert.match(await aws("ls", "--recursive", "s3://own/"), /12000000 large\.bin/);
    await aws("rm", "--quiet", "--recursive", "s3://own/");
    assert.deepEqual((await api.tree()).filter((it) => it.includes(".")), []);
  },
);

clientTest(
  "rclone sends, compares, moves and deletes",
  await hasProgram("rclone", "version"),
  async ({ env, run, api }) => {
    const given = [
      "--config=/dev/null",
      "--s3-provider=Other",
      "--s3-env-auth",
      "--s3-upload-cutoff=8M",
    ];
    const endpoint = `--s3-endpoint=${env.AWS_ENDPOINT_URL_S3}`;
    const rclone = (...args: string[]) => run("rclone", ...given, endpoint, ...args);
    await rclone("copy", "large.bin", ":s3:own/dir");
    await rclone("sync", "models", ":s3:own/models");
    assert.match(
      await rclone("check", "--download", "models", ":s3:own/models"),
      /3 matching files/,
    );
    assert.match(await rclone("check", "large.bin", ":s3:own/dir"), /1 matching/);
    await rclone("moveto", ":s3:own/models", ":s3:own/moved");
    await rclone("delete", ":s3:own/moved");
    assert.deepEqual((await api.tree()).filter((it) => it.includes(".")), ["dir/large.bin"]);
  },
);

clientTest(
  "mc copies, mirrors, compares and deletes",
  await hasProgram("mc", "--version"),
  async ({ path, origin, env, run, api }) => {
    const mc = (...args: string[]) => run("mc", "--config-dir", `${path}/.mc`, "--json", ...args);
    const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = env;
    await mc("alias", "set", "room", origin, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY);
    await mc("cp", "large.bin", "room/own/large.bin");
    await mc("mirror", "models", "room/own/models");
    assert.equal(await mc("diff", "models", "room/own/models"), "");
    await mc("cp", "room/own/large.bin", "copy.bin");
    await assertSame(`${path}/large.bin`, `${path}/copy.bin`);
    assert.match(await mc("ls", "--recursive", "room/own"), /"key":"models\/c\/d\.txt"/);
    await mc("rm", "--recursive", "--force", "room/own/models");
    assert.deepEqual((await api.tree()).filter((it) => it.includes(".")), ["large.bin"]);
  },
);

clientTest(
  "restic backs up, checks, restores and prunes, also after it was killed",
  await hasProgram("restic", "version"),
  async ({ path, origin, env, run, api }) => {
    const repository = {
      RESTIC_REPOSITORY: `s3:${origin}/own/backups`,
      RESTIC_PASSWORD: "correct-horse",
      RESTIC_CACHE_DIR: `${path}/.cache`,
    };
    const restic = (...args: string[]) =>
      run("env", ...Object.entries(repository).map((it) => it.join("=")), "restic", "-q", ...args);
    await Deno.mkdir(`${path}/data`);
    for (let seed = 0; seed < 6; seed++) {
      await Deno.writeFile(`${path}/data/${seed}.bin`, noise(LARGE_BYTES, seed));
    }
    await restic("init");
    const killed = new Deno.Command("restic", {
      args: ["-q", "backup", "data"],
      ...{ cwd: path, env: { ...env, ...repository }, stdout: "null", stderr: "null" },
    }).spawn();
    await until(async () => (await api.tree()).some((it) => /^backups\/data\/..\/./.test(it)));
    killed.kill("SIGKILL");
    assert.equal((await killed.status).signal, "SIGKILL");
    await restic("unlock", "--remove-all");
    await restic("backup", "data", "models");
    await restic("check", "--read-data");
    await restic("restore", "latest", "--target", "restored");
    for (let seed = 0; seed < 6; seed++) {
      await assertSame(`${path}/data/${seed}.bin`, `${path}/restored/data/${seed}.bin`);
    }
    await Deno.remove(`${path}/data/0.bin`);
    await restic("backup", "data");
    await restic("forget", "--keep-last", "1", "--prune");
    await restic("check", "--read-data");
  },
);
