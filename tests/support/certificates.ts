/** Certificates for servers of tests, made with openssl. */

import * as assert from "node:assert/strict";
import { TempDir } from "./temp_dir.ts";
import { run } from "./tools.ts";

/** A certificate and its key, in files with PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** An authority, which lives as long as the files. */
export class Authority implements AsyncDisposable {
  readonly #directory: TempDir;
  readonly #own: Certificate;

  private constructor(directory: TempDir, own: Certificate) {
    this.#directory = directory;
    this.#own = own;
  }

  static async make(): Promise<Authority> {
    await using made = new AsyncDisposableStack();
    const directory = made.use(await TempDir.make());
    // The engine runs as another user.
    await Deno.chmod(directory.path, 0o755);
    const own = await create(directory, "authority", []);
    made.move();
    return new Authority(directory, own);
  }

  /** The file with its certificate. */
  get certificate(): string {
    return this.#own.certificate;
  }

  /** @param names The names of the server, such as `DNS:localhost,IP:127.0.0.1`. */
  issue(names: string): Promise<Certificate> {
    return create(this.#directory, crypto.randomUUID(), [
      ...["-CA", this.#own.certificate, "-CAkey", this.#own.key],
      ...["-addext", `subjectAltName=${names}`, "-addext", "basicConstraints=critical,CA:FALSE"],
    ]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#directory[Symbol.asyncDispose]();
  }
}

async function create(
  { path }: TempDir,
  name: string,
  options: readonly string[],
): Promise<Certificate> {
  const made = { certificate: `${path}/${name}.pem`, key: `${path}/${name}.key` };
  const { code, stderr } = await run("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "2", "-subj", `/CN=${name}`, "-keyout", made.key, "-out", made.certificate],
    ...options,
  ]);
  assert.equal(code, 0, stderr);
  return made;
}
