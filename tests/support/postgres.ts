import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Certificate } from "./certificates.ts";
import { freePort } from "./ports.ts";
import { TempDir } from "./temp_dir.ts";
import { isFile, run } from "./tools.ts";
import { until } from "./until.ts";

const USER = "postgres";
/** Where distributions keep the programs of the engine, which are not on the PATH. */
const DIRECTORIES = ["/usr/lib/postgresql", "/usr/local/lib/postgresql"];

/** Where a checkout keeps what tests make once. */
const KEPT_DIRECTORY = fileURLToPath(new URL("../../dist/tests", import.meta.url));
const MIGRATIONS = fileURLToPath(new URL("../../storage/postgres/migrations", import.meta.url));
/** The database of an engine that has the tables of this version, and no records. */
const TEMPLATE = "strongroom_template";
/** Reached by a port of this machine alone. */
const LOCAL = { listen_addresses: "'127.0.0.1'", unix_socket_directories: "''" };
/** What no two databases have in common. */
const NEW_IDS = `
  UPDATE storage_state SET strongroom_id = replace(gen_random_uuid()::text, '-', '');
  UPDATE event_channels SET epoch = replace(gen_random_uuid()::text, '-', '')`;

export interface PostgresOptions {
  /** Whether commits are durable in a power loss. @default false */
  readonly fsync?: boolean;
  /** Has it accept encrypted connections. @default none */
  readonly certificate?: Certificate;
  /** Further settings, such as `deadlock_timeout`. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Where its data is. @default a temporary directory */
  readonly directory?: string;
}

/** A PostgreSQL engine with a directory and port of its own, or undefined where none is installed. */
export class Postgres implements AsyncDisposable {
  readonly #directory: DataDirectory;
  /** The directory of its programs. */
  readonly programs: string;
  readonly port: number;
  #process: Deno.ChildProcess | undefined;
  #databases = 0;

  private constructor(directory: DataDirectory, programs: string, port: number) {
    this.#directory = directory;
    this.programs = programs;
    this.port = port;
  }

  /** Whether the engine is installed. Says so if it is not. */
  static get isInstalled(): boolean {
    if (programDirectory() !== undefined) return true;
    console.log("PostgreSQL is not installed: its tests are skipped");
    return false;
  }

  static async start(
    { fsync = false, certificate, settings = {}, directory: given }: PostgresOptions = {},
  ): Promise<Postgres> {
    const programs = programDirectory();
    if (programs === undefined) throw new Error("PostgreSQL is not installed");
    await using made = new AsyncDisposableStack();
    const directory = given === undefined ? made.use(await TempDir.make()) : notOwned(given);
    const owner = await ownerOf(directory.path);
    await succeed("tar", ["-C", directory.path, "-xf", await keptData(programs)], {});
    const engine = new Postgres(directory, programs, freePort());
    await engine.#set({
      ...LOCAL,
      port: engine.port,
      fsync: fsync ? "on" : "off",
      ...certificate && await tlsSettings(certificate, owner),
      ...settings,
    });
    await engine.restart();
    made.move();
    return engine;
  }

  /** Makes the data of an engine with the template of databases, and an archive of it. */
  static async keepData(programs: string, archive: string): Promise<void> {
    await using made = new AsyncDisposableStack();
    const directory = made.use(await TempDir.make());
    // An order of characters that is not that of their bytes would show a lack of COLLATE "C".
    await succeed(`${programs}/initdb`, [
      ...["-D", `${directory.path}/data`, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"],
      ...["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"],
      // In megabytes: its files are made and removed for each engine.
      "--wal-segsize=1",
    ], await ownerOf(directory.path));
    const engine = made.use(new Postgres(notOwned(directory.path), programs, freePort()));
    await engine.#set({ ...LOCAL, port: engine.port, fsync: "off" });
    await engine.restart();
    await engine.#psql(`CREATE DATABASE ${TEMPLATE}`);
    // Most tests use SQLite, and each file of tests loads its modules anew.
    const { databaseAddress } = await import("../../schemas/database_url.ts");
    const { Database } = await import("../../storage/postgres/database.ts");
    const migrated = await Database.open(databaseAddress(engine.#urlOf(TEMPLATE)));
    await migrated[Symbol.asyncDispose]();
    // With all that it knows written.
    await engine.#end("SIGINT");
    const partial = `${archive}.partial`;
    await succeed("tar", ["-C", directory.path, "-cf", partial, "data"], {});
    await Deno.rename(partial, archive);
  }

  /** Starts a standby, which follows this engine and refuses to write until it is promoted. */
  async startStandby(): Promise<Postgres> {
    const directory = await TempDir.make();
    await using made = new AsyncDisposableStack();
    made.use(directory);
    await succeed(`${this.programs}/pg_basebackup`, [
      ...["-h", "127.0.0.1", "-p", String(this.port), "-U", USER, "--no-sync"],
      ...["-D", `${directory.path}/data`, "--write-recovery-conf", "--checkpoint=fast"],
    ], await ownerOf(directory.path));
    const standby = new Postgres(directory, this.programs, freePort());
    await standby.#set({ port: standby.port });
    await standby.restart();
    made.move();
    return standby;
  }

  async #set(settings: Readonly<Record<string, string | number>>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    const path = `${this.#directory.path}/data/postgresql.auto.conf`;
    // The last line about a setting counts.
    await Deno.writeTextFile(path, lines.join(""), { append: true });
  }

  /**
   * The URL of a new database with the tables of this version and no records. It is a copy, which takes a quarter
   * of the time of all migrations.
   */
  async createDatabase(): Promise<string> {
    const name = this.#newName();
    const create = `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`;
    await this.#psql(create, `\\connect ${name}`, NEW_IDS);
    return this.#urlOf(name);
  }

  /** The URL of a new database without tables: for tests of those that make them, and of old ones. */
  async createEmptyDatabase(): Promise<string> {
    const name = this.#newName();
    await this.#psql(`CREATE DATABASE ${name}`);
    return this.#urlOf(name);
  }

  #newName(): string {
    return `test${++this.#databases}`;
  }

  #urlOf(name: string): string {
    return `postgres://${USER}:secret@127.0.0.1:${this.port}/${name}`;
  }

  async #psql(...commands: string[]): Promise<void> {
    const options = ["-h", "127.0.0.1", "-p", String(this.port), "-U", USER, "-d", "postgres"];
    await succeed(`${this.programs}/psql`, [
      ...[...options, "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1"],
      ...commands.flatMap((it) => ["-c", it]),
    ], {});
  }

  /** Kills all of the engine at once, as a power loss does to what it has not written. */
  async kill(): Promise<void> {
    // Its main process ends the others when it is asked to stop at once.
    await this.#end("SIGQUIT");
  }

  async #end(signal: Deno.Signal): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    process?.kill(signal);
    await process?.status;
  }

  /** Starts the engine, if it is not running, and waits until it accepts connections. */
  async restart(): Promise<void> {
    await this.kill();
    this.#process = new Deno.Command(`${this.programs}/postgres`, {
      args: ["-D", `${this.#directory.path}/data`],
      stdout: "null",
      stderr: "null",
      ...await ownerOf(this.#directory.path),
    }).spawn();
    await until(async () => {
      const args = ["-q", "-h", "127.0.0.1", "-p", String(this.port), "-U", USER];
      return (await new Deno.Command(`${this.programs}/pg_isready`, { args }).output()).success;
    });
  }

  /** Lets this process end while the engine runs. */
  unref(): void {
    this.#process?.unref();
  }

  /** Ends the engine where nothing can be awaited, at the end of a process. */
  endSync(): void {
    this.#process?.kill("SIGQUIT");
    Deno.removeSync(this.#directory.path, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#directory[Symbol.asyncDispose]();
  }
}

/** Where the data of an engine is. */
type DataDirectory = Pick<TempDir, "path"> & AsyncDisposable;

/** A directory that others remove. */
function notOwned(path: string): DataDirectory {
  return { path, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/**
 * The archive of the data of a new engine. The checkout keeps it, as making it takes eight times as long as
 * unpacking it.
 */
async function keptData(programs: string): Promise<string> {
  const { stdout: version } = await run(`${programs}/initdb`, ["--version"]);
  const name = `${version.trim().replaceAll(/[^\w.]+/g, "_")}_${migrationsHash()}`;
  const kept = `${KEPT_DIRECTORY}/${name}.tar`;
  if (isFile(kept)) return kept;
  await Deno.mkdir(KEPT_DIRECTORY, { recursive: true });
  using lock = await Deno.open(`${KEPT_DIRECTORY}/${name}.lock`, { create: true, write: true });
  // Other files of tests may want the same now.
  await lock.lock(true);
  if (!isFile(kept)) await Postgres.keepData(programs, kept);
  return kept;
}

/** What the tables of {@link TEMPLATE} depend on. */
function migrationsHash(): string {
  const hash = createHash("sha256");
  for (const name of [...Deno.readDirSync(MIGRATIONS)].map(({ name }) => name).sort()) {
    hash.update(name).update(Deno.readTextFileSync(`${MIGRATIONS}/${name}`));
  }
  return hash.digest("hex").slice(0, 16);
}

/** The directory with the programs of the latest version installed. */
function programDirectory(): string | undefined {
  const onPath = (Deno.env.get("PATH") ?? "").split(":");
  const versioned = DIRECTORIES.flatMap((directory) => {
    try {
      return [...Deno.readDirSync(directory)].map(({ name }) => name)
        .sort((a, b) => Number(b) - Number(a)).map((name) => `${directory}/${name}/bin`);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  });
  return [...versioned, ...onPath].find((directory) => isFile(`${directory}/pg_isready`));
}

/** As whom the engine runs, and a pooler before it: they refuse to run as root. */
export async function ownerOf(directory: string): Promise<{ uid?: number; gid?: number }> {
  if (Deno.uid() !== 0) return {};
  const line = (await Deno.readTextFile("/etc/passwd")).split("\n")
    .find((line) => line.startsWith(`${USER}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`There is no user ${USER}`);
  await Deno.chown(directory, Number(uid), Number(gid));
  return { uid: Number(uid), gid: Number(gid) };
}

async function tlsSettings(
  { certificate, key }: Certificate,
  { uid, gid }: { uid?: number; gid?: number },
): Promise<Record<string, string>> {
  // The engine refuses a key that others may read.
  if (uid !== undefined && gid !== undefined) await Deno.chown(key, uid, gid);
  return { ssl: "on", ssl_cert_file: `'${certificate}'`, ssl_key_file: `'${key}'` };
}

async function succeed(program: string, args: string[], owner: { uid?: number; gid?: number }) {
  const { success, stderr } = await new Deno.Command(program, { args, cwd: "/tmp", ...owner })
    .output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}
