/** The tests of another S3 server, versitygw, against our door. */

import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { S3_PATH } from "../../../routes/reply/error_forms.ts";
import { escapeXml } from "../../../routes/reply/xml.ts";
import { findVersitygw } from "../../support/s3.ts";
import { accessKeyOf } from "../../support/s3_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { type ProgramOutput, run } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

/** The operations of C 30, as the names of tests begin. The last four are ways to sign. */
export const OPERATIONS = [
  ...["ListBuckets", "HeadBucket", "GetBucketLocation", "ListObjects", "ListObjectsV2"],
  ...["GetBucketVersioning", "ListObjectVersions"],
  ...["GetObject", "HeadObject", "PutObject", "CopyObject", "DeleteObject", "DeleteObjects"],
  ...["CreateMultipartUpload", "UploadPart", "UploadPartCopy", "CompleteMultipartUpload"],
  ...["AbortMultipartUpload", "ListParts", "ListMultipartUploads"],
  ...["PutObjectTagging", "GetObjectTagging", "DeleteObjectTagging"],
  ...["Authentication", "PresignedAuth"],
  ...["SignedStreamingPayload", "SignedStreamingPayloadTrailer", "UnsignedStreamingPayloadTrailer"],
] as const;
export type Operation = typeof OPERATIONS[number];

/** What a test of the suite has done. */
export interface Outcome {
  readonly name: string;
  /** What it says of its failure. @default none */
  readonly failure?: string;
}

const HISTORY_MS = 86_400_000;
/** The name that a test gives its bucket. */
const BUCKET = "test-bucket-%v";
/** A test that compares more messages than this is not worth more runs. */
const MAX_RUNS = 60;
const OTHER_WORDS = /expected error message to be (.*), instead got (.*)/s;

/** A server, and the suite to run against it. */
export class Suite implements AsyncDisposable {
  readonly #program: Program;
  readonly #env: Readonly<Record<string, string>>;
  readonly #front: Front;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    program: Program,
    env: Readonly<Record<string, string>>,
    front: Front,
    parts: AsyncDisposableStack,
  ) {
    this.#program = program;
    this.#env = env;
    this.#front = front;
    this.#parts = parts;
  }

  static async start(): Promise<Suite> {
    await using parts = new AsyncDisposableStack();
    const server = parts.use(await TestServer.start({ settings: { history: HISTORY_MS } }));
    const front = parts.use(new Front(server));
    const { id, secret } = await accessKeyOf(server, {
      userId: 1,
      privileges: ["resources.admin"],
    });
    const { path } = parts.use(await TempDir.make());
    const program = await Program.copy(`${path}/versitygw`);
    const env = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
    return new Suite(program, env, front, parts.move());
  }

  /** The tests of each operation of C 30. */
  async tests(): Promise<ReadonlyMap<Operation, readonly string[]>> {
    const { stdout } = await run(this.#program.path, ["test", "--help"]);
    const names = [...stdout.matchAll(/^ +(\w+) +Runs \w+ integration test$/gm)]
      .map(([, name = ""]) => name).sort();
    return new Map(
      OPERATIONS.map((it) => [it, names.filter((name) => name.startsWith(`${it}_`))]),
    );
  }

  /**
   * Runs a test. It compares messages word by word, and ours say what is wrong with what. So it runs again with the
   * words that it expects in place of ours: what is compared besides counts.
   */
  async run(name: string): Promise<Outcome> {
    this.#front.begin();
    let failure: string | undefined;
    for (let runs = 0; runs < MAX_RUNS; runs++) {
      failure = await this.#run(name);
      // It ends its request before it has read the reply.
      if (failure?.includes("context canceled")) continue;
      const [, expected, ours] = OTHER_WORDS.exec(failure ?? "") ?? [];
      if (expected === undefined || ours === undefined || !this.#front.reword(ours, expected)) {
        break;
      }
    }
    const broken = this.#front.serverErrors;
    if (broken.length > 0) failure = `replied ${broken.join(", ")}`;
    return { name, ...failure !== undefined && { failure } };
  }

  /** Returns what a test says of its failure, or undefined if it passes. */
  async #run(name: string): Promise<string | undefined> {
    const args = ["test", "--endpoint", `${this.#front.origin}${S3_PATH}`, name];
    await this.#program.useNewTree();
    const { stdout, stderr } = await this.#program.run(args, this.#env);
    // deno-lint-ignore no-control-regex
    const text = (stdout + stderr).replaceAll(/\x1b\[[0-9;]*m/g, "");
    // Some tests call themselves by another name.
    const [, failure] = /^FAIL \w+: (.*?)^\d{4}\//ms.exec(`${text}\n0000/`) ?? [];
    if (failure !== undefined) return failure.trim();
    return /^PASS \w+$/m.test(text) ? undefined : `ends with ${text.slice(0, 300)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

/** A copy of the suite. Buckets are trees, so each test has one with the name of a tree in place of its own. */
class Program {
  #runs = 0;

  private constructor(readonly path: string, readonly at: number) {}

  static async copy(path: string): Promise<Program> {
    const program = await Deno.readFile(findVersitygw() ?? "");
    await Deno.writeFile(path, program, { mode: 0o755 });
    const at = Buffer.from(program.buffer).indexOf(BUCKET);
    assert.ok(at > 0, "The suite names its buckets otherwise");
    return new Program(path, at);
  }

  /** Writes names in place that are as long. */
  async useNewTree(): Promise<void> {
    const number = String(++this.#runs).padStart(BUCKET.length - "tree-1%v".length, "0");
    using file = await Deno.open(this.path, { read: true, write: true });
    await file.seek(this.at, Deno.SeekMode.Start);
    await file.write(new TextEncoder().encode(`tree-1${number}%v`));
  }

  /**
   * Runs it as soon as no process has it open for writing. A process that is being started holds the files of its
   * parent for a moment.
   */
  async run(args: readonly string[], env: Record<string, string>): Promise<ProgramOutput> {
    let output: ProgramOutput | undefined;
    await until(async () => {
      try {
        output = await run(this.path, args, { clearEnv: true, env });
      } catch (error) {
        if (!String(error).includes("Text file busy")) throw error;
      }
      return output !== undefined;
    });
    assert.ok(output !== undefined);
    return output;
  }
}

/** Makes and deletes the buckets of tests, which are always there and have versions. All else is the server's. */
class Front implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #words = new Map<string, string>();
  /** The failures of the server in the test that runs. */
  readonly serverErrors: string[] = [];

  constructor({ app }: Pick<TestServer, "app">) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request, { remoteAddr }) => {
        const { method } = request;
        const { pathname, search } = new URL(request.url);
        const isBucket = /^\/s3\/[^/]+$/.test(pathname) &&
          /^\??(?:versioning=?)?&?(?:x-id=\w+)?$/.test(search);
        if (isBucket && (method === "PUT" || method === "DELETE")) {
          await request.body?.cancel();
          return new Response(null, { status: method === "PUT" ? 200 : 204 });
        }
        const reply = await app.fetch(request, { remoteAddr });
        if (reply.status >= 500 && reply.status !== 501) {
          this.serverErrors.push(`${reply.status} to ${method} ${pathname}${search}`);
        }
        return reply.status >= 400 ? await this.#reworded(reply) : reply;
      },
    );
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  begin(): void {
    this.#words.clear();
    this.serverErrors.length = 0;
  }

  /** Has other words in place of a message. Returns whether that is new. */
  reword(message: string, words: string): boolean {
    const key = withoutNumbers(message);
    if (this.#words.get(key) === words) return false;
    this.#words.set(key, words);
    return true;
  }

  async #reworded(reply: Response): Promise<Response> {
    const text = await reply.text();
    const changed = text.replaceAll(/(?<=<Message>)[^<]*(?=<\/Message>)/g, (message) => {
      const words = this.#words.get(withoutNumbers(unescaped(message)));
      return words === undefined ? message : escapeXml(words);
    });
    const headers = new Headers(reply.headers);
    headers.delete("Content-Length");
    return new Response(text === "" ? null : changed, { status: reply.status, headers });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** Another run has other times and digests, and another tree. */
function withoutNumbers(message: string): string {
  return message.replaceAll(/[\w+/]{6,}={1,2}/g, "0").replaceAll(/\b(?:[0-9a-f]{8,}|\d+)\b/g, "0");
}

function unescaped(xml: string): string {
  return xml.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
