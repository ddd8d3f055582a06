import { parseContentUrl } from "../../schemas/content_url.ts";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import { orMissing } from "../../storage/disk/files.ts";
import type { CredentialSource } from "../../storage/content/objects/credentials.ts";
import type { Certificate } from "./certificates.ts";
import { freePort } from "./ports.ts";
import { TempDir } from "./temp_dir.ts";
import { isFile } from "./tools.ts";
import { until } from "./until.ts";

/** Where `go install` puts programs. */
const DIRECTORIES = ["/go/bin", `${Deno.env.get("HOME")}/go/bin`];
const BUCKET = "bucket";

/** The credentials of the engines in tests. */
export const S3_CREDENTIALS = { accessKeyId: "tester", secretAccessKey: "a secret of the tests" };

export const SIGNED_BY_TESTS: CredentialSource = { kind: "keys", read: () => S3_CREDENTIALS };

/** An S3 engine (versitygw) with a directory and port of its own. Buckets are directories. */
export class S3Engine implements AsyncDisposable {
  readonly #directory: TempDir;
  readonly #program: string;
  readonly port: number;
  #process: Deno.ChildProcess | undefined;
  #prefixes = 0;

  private constructor(
    directory: TempDir,
    program: string,
    port: number,
    readonly certificate: Certificate | undefined,
  ) {
    this.#directory = directory;
    this.#program = program;
    this.port = port;
  }

  /** Whether the engine is installed. Says so if it is not. */
  static get isInstalled(): boolean {
    if (findVersitygw() !== undefined) return true;
    console.log("versitygw is not installed: its tests are skipped");
    return false;
  }

  /** @param certificate Has it accept encrypted connections alone. */
  static async start(certificate?: Certificate): Promise<S3Engine> {
    const program = findVersitygw();
    if (program === undefined) throw new Error("versitygw is not installed");
    await using made = new AsyncDisposableStack();
    const directory = made.use(await TempDir.make());
    await Deno.mkdir(`${directory.path}/data/${BUCKET}`, { recursive: true });
    const engine = new S3Engine(directory, program, freePort(), certificate);
    await engine.restart();
    made.move();
    return engine;
  }

  get endpoint(): string {
    return `${this.certificate === undefined ? "http" : "https"}://127.0.0.1:${this.port}`;
  }

  /** The directory of the objects. */
  get objects(): string {
    return `${this.#directory.path}/data/${BUCKET}`;
  }

  /** An address for a strongroom, by way of another endpoint if that is given. @default a new one */
  contentUrl(room = `room-${++this.#prefixes}`, endpoint = this.endpoint): string {
    return `s3://${BUCKET}/${room}?endpoint=${endpoint}`;
  }

  /** What a storage needs of it. */
  content(
    url = this.contentUrl(),
    onFailure: (error: unknown) => void = () => {},
  ): ContentSettings {
    const location = parseContentUrl(url);
    if (location === undefined) throw new Error(`Not an address: ${url}`);
    return { location, credentials: SIGNED_BY_TESTS, onFailure };
  }

  /** Kills the engine at once. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    process.kill("SIGKILL");
    await process.status;
  }

  /** Starts the engine, and waits until it answers. */
  async restart(): Promise<void> {
    await this.kill();
    this.#process = new Deno.Command(this.#program, {
      args: [
        ...["--port", `127.0.0.1:${this.port}`, "--quiet"],
        ...(this.certificate === undefined
          ? []
          : ["--cert", this.certificate.certificate, "--key", this.certificate.key]),
        "posix",
        ...["--sidecar", await this.#sidecar(), `${this.#directory.path}/data`],
      ],
      env: {
        ROOT_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
        ROOT_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
      },
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until(async () => {
      try {
        using _connection = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
        return true;
      } catch {
        return false;
      }
    });
  }

  /** The names of all objects of a strongroom, sorted: those of the files that the engine has for them. */
  async keys({ location: { prefix } }: ContentSettings): Promise<string[]> {
    const keys: string[] = [];
    const walk = async (directory: string) => {
      // The engine removes directories that have become empty.
      const entries = await orMissing(
        Array.fromAsync(Deno.readDir(`${this.objects}/${directory}`)),
      );
      for (const { name, isDirectory } of entries ?? []) {
        if (isDirectory) await walk(`${directory}${name}/`);
        else keys.push(`${directory}${name}`);
      }
    };
    await walk(prefix);
    return keys.filter((key) => !/\/(?:probe|strongroom)$/.test(key)).sort();
  }

  /** Lets this process end while the engine runs. */
  unref(): void {
    this.#process?.unref();
  }

  /** Ends the engine at the end of the process. */
  endSync(): void {
    this.#process?.kill("SIGKILL");
    Deno.removeSync(this.#directory.path, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#directory[Symbol.asyncDispose]();
  }

  /** Attributes of objects are in files, as not all file systems have them. */
  async #sidecar(): Promise<string> {
    const path = `${this.#directory.path}/attributes`;
    await Deno.mkdir(path, { recursive: true });
    return path;
  }
}

/** The path of the engine's program, if it is installed. */
export function findVersitygw(): string | undefined {
  const directories = [...(Deno.env.get("PATH") ?? "").split(":"), ...DIRECTORIES];
  return directories.map((it) => `${it}/versitygw`).find(isFile);
}
