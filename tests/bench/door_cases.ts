import type { AccessKey } from "../../core/s3/access_keys.ts";
import type { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { hasProgram, run } from "../support/tools.ts";
import {
  type Case,
  type Comparison,
  cpuSeconds,
  MB,
  peakMemory,
  randomFile,
  scaled,
  seconds,
  SHORT,
} from "./measures.ts";
import { ownKey } from "./s3_cases.ts";

const BYTES = scaled(5000 * MB);
const FILES = scaled(20_000);
const FILES_OF_DIRECTORY = 200;
/** Each moves gigabytes, or tens of thousands of files. */
const ROUNDS = SHORT ? 1 : 3;

/** A program at work, and the process of the server that serves it. */
interface Work {
  readonly pid: number;
  readonly work: () => Promise<unknown>;
  /** Runs after it, untimed. @default nothing */
  readonly after?: () => Promise<unknown>;
}

/** What people have S3 and WebDAV for, beside our own routes and other servers. */
export const DOOR_CASES: readonly Case[] = [
  {
    name: "5 GB by clients of S3 and WebDAV",
    async measure({ directory, server, client }) {
      const programs = await Programs.of(server, client, `${directory}/data`);
      const [file, copy] = [`${directory}/large.bin`, `${directory}/copy.bin`];
      await randomFile(file, BYTES);
      const url = `${client.url}/files`;
      const bearer = ["-sSf", "-H", `Authorization: Bearer ${client.token}`];
      const put = (name: string, work: () => Promise<unknown>): Work => ({
        pid: server.pid,
        work,
        after: () => programs.run("curl", ...bearer, "-X", "DELETE", `${url}/${name}?purge=true`),
      });
      const get = (work: () => Promise<unknown>): Work => ({
        pid: server.pid,
        work,
        async after() {
          await programs.run("cmp", file, copy);
          await Deno.remove(copy);
        },
      });
      const { rclone, aws } = programs;
      const puts = await inTurn({
        "/files by curl": put("f", () => programs.run("curl", ...bearer, "-T", file, `${url}/f`)),
        ...aws && { "S3 by aws": put("a", () => aws("cp", file, "s3://own/a")) },
        "S3 by rclone": put("r", () => rclone("copyto", file, "s3:own/r")),
        "WebDAV by rclone": put("d", () => rclone("copyto", file, "dav:d")),
      });
      await programs.run("curl", ...bearer, "-T", file, `${url}/f`);
      const gets = await inTurn({
        "/files by curl": get(() => programs.run("curl", ...bearer, "-o", copy, `${url}/f`)),
        ...aws && { "S3 by aws": get(() => aws("cp", "s3://own/f", copy)) },
        "S3 by rclone": get(() => rclone("copyto", "s3:own/f", copy)),
        "WebDAV by rclone": get(() => rclone("copyto", "dav:f", copy)),
      });
      return {
        comparisons: [...comparisons("PUT of 5 GB", puts), ...comparisons("GET of 5 GB", gets)],
        notes: [await peakMemory(server.pid), "each was compared byte by byte"],
      };
    },
  },
  {
    name: "20 000 small files by rclone, by S3 and WebDAV",
    async measure({ directory, server, client, peers }) {
      const { rclone } = await Programs.of(server, client, `${directory}/data`);
      const source = `${directory}/files`;
      for (let index = 0; index < FILES; index++) {
        const below = `${source}/${Math.floor(index / FILES_OF_DIRECTORY)}`;
        if (index % FILES_OF_DIRECTORY === 0) await Deno.mkdir(below, { recursive: true });
        await randomFile(`${below}/${index}.bin`, 1000 + index % 3000);
      }
      let round = 0;
      const copy = (pid: number, remote: string): Work => {
        const to = () => `${remote}round${round}`;
        return {
          pid,
          work: () => rclone("copy", source, to()),
          async after() {
            await rclone("check", "--download", source, to());
            round++;
          },
        };
      };
      const others = peers.filter(({ name }) => name !== "nginx");
      const found = await inTurn({
        "S3": copy(server.pid, "s3:own/"),
        "WebDAV": copy(server.pid, "dav:"),
        ...Object.fromEntries(
          others.map(({ name, pid, url }) => [name, copy(pid, `:webdav,url='${url}':`)]),
        ),
      });
      return {
        comparisons: comparisons("20 000 files by rclone", found),
        notes: [await peakMemory(server.pid), "rclone check found all of them to match"],
      };
    },
  },
];

interface Measured {
  readonly wall: Readonly<Record<string, readonly number[]>>;
  readonly cpu: Readonly<Record<string, readonly number[]>>;
}

/** Measures works in turn, and the CPU time of the servers. */
async function inTurn(works: Readonly<Record<string, Work>>): Promise<Measured> {
  const [wall, cpu]: [Record<string, number[]>, Record<string, number[]>] = [{}, {}];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { pid, work, after }] of Object.entries(works)) {
      await run("sync", []);
      const before = await cpuSeconds(pid);
      (wall[name] ??= []).push(await seconds(work));
      (cpu[name] ??= []).push(await cpuSeconds(pid) - before);
      await after?.();
    }
  }
  return { wall, cpu };
}

function comparisons(title: string, { wall, cpu }: Measured): Comparison[] {
  return [
    { title, unit: "s", values: wall },
    { title: `CPU time of the server: ${title}`, unit: "s", values: cpu },
  ];
}

/** Clients with the credentials of user 1. */
class Programs {
  readonly #env: Readonly<Record<string, string>>;
  readonly #endpoint: string;
  /** Undefined if it is not installed. */
  readonly aws: ((...args: string[]) => Promise<void>) | undefined;

  private constructor(
    { origin }: ChildServer,
    { token }: Client,
    { id, secret }: AccessKey,
    hasAws: boolean,
  ) {
    this.#endpoint = `${origin}/s3`;
    this.#env = {
      HOME: Deno.env.get("HOME") ?? "",
      PATH: Deno.env.get("PATH") ?? "",
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_DEFAULT_REGION: "us-east-1",
      AWS_EC2_METADATA_DISABLED: "true",
      RCLONE_CONFIG_S3_TYPE: "s3",
      RCLONE_CONFIG_S3_PROVIDER: "Other",
      RCLONE_CONFIG_S3_ENDPOINT: this.#endpoint,
      RCLONE_CONFIG_S3_ACCESS_KEY_ID: id,
      RCLONE_CONFIG_S3_SECRET_ACCESS_KEY: secret,
      RCLONE_CONFIG_DAV_TYPE: "webdav",
      RCLONE_CONFIG_DAV_URL: `${origin}/dav`,
      RCLONE_CONFIG_DAV_VENDOR: "other",
      RCLONE_CONFIG_DAV_BEARER_TOKEN: token,
    };
    this.aws = hasAws
      ? (command, ...args) =>
        this.run("aws", "--endpoint-url", this.#endpoint, "s3", command, "--quiet", ...args)
      : undefined;
  }

  static async of(server: ChildServer, client: Client, dataDir: string): Promise<Programs> {
    if (!await hasProgram("rclone", "version")) throw new Error("It needs rclone");
    const hasAws = await hasProgram("aws", "--version");
    return new Programs(server, client, await ownKey(dataDir), hasAws);
  }

  readonly rclone = (...args: string[]): Promise<void> =>
    this.run("rclone", "--config", "/dev/null", ...args);

  async run(program: string, ...args: string[]): Promise<void> {
    // Not all clients take what else may be set, such as a list of authorities.
    const { code, stderr } = await run(program, args, { env: this.#env, clearEnv: true });
    if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  }
}
