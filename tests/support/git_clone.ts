import * as assert from "node:assert/strict";
import { type ProgramOutput, run } from "./tools.ts";

/** A clone of a Git repository whose large files are at an address of the server. */
export class Clone {
  constructor(readonly path: string, readonly home: string) {}

  /** Clones without the content of large files. */
  static async of(remote: string, path: string, config: Record<string, string>): Promise<Clone> {
    const clone = new Clone(path, path.replace(/\/[^/]*$/, ""));
    await new Clone(clone.home, clone.home).git("clone", "-q", remote, path);
    await clone.git("lfs", "install", "--local", "--skip-smudge");
    const settings = {
      "lfs.transfer.maxretries": "1",
      "user.name": "tester",
      "user.email": "tester@example.com",
      ...config,
    };
    for (const [name, value] of Object.entries(settings)) await clone.git("config", name, value);
    return clone;
  }

  /** Runs git, which must succeed. */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tryGit(...args);
    assert.equal(code, 0, `git ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout + stderr;
  }

  tryGit(...args: string[]): Promise<ProgramOutput> {
    return run("git", args, {
      cwd: this.path,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: this.home,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
        GIT_LFS_SKIP_SMUDGE: "1",
      },
    });
  }

  /** Commits files, those that end with `.bin` or `.pkl` as large ones. */
  async commit(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    await this.git("lfs", "track", "*.bin", "*.pkl");
    for (const [name, content] of Object.entries(files)) {
      await Deno.writeFile(`${this.path}/${name}`, content);
    }
    await this.git("add", ".");
    await this.git("commit", "-q", "-m", "Add files");
  }

  read(name: string): Promise<Uint8Array> {
    return Deno.readFile(`${this.path}/${name}`);
  }
}

/** Makes an empty repository in a directory, and returns its path. */
export async function bareRepository(directory: string): Promise<string> {
  const path = `${directory}/remote.git`;
  await new Clone(directory, directory).git("init", "-q", "--bare", path);
  return path;
}
