import { pathToFileURL } from "node:url";

/** What a scan must not be able to do. Each attempt yields "done" or the name of the error. */
export async function attempts(path: string): Promise<Record<string, string>> {
  const directory = path.slice(0, path.lastIndexOf("/"));
  const tries: Record<string, () => unknown> = {
    "read the file by its name": () => Deno.readFileSync(path),
    "read another file": () => Deno.readFileSync(`${directory}/other`),
    "read the directory": () => Array.from(Deno.readDirSync(directory)),
    "read the system": () => Deno.readFileSync("/etc/passwd"),
    "follow a link": () => Deno.readFileSync(`${directory}/link`),
    "write the file": () => Deno.writeFileSync(path, new Uint8Array()),
    "write another file": () => Deno.writeFileSync(`${directory}/new`, new Uint8Array()),
    "remove the file": () => Deno.removeSync(path),
    "connect": () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
    "fetch": () => fetch("http://127.0.0.1:9/"),
    "listen": () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
    "read the environment": () => Deno.env.get("HOME"),
    "run a program": () => new Deno.Command("/bin/true").outputSync(),
    "load a library": () => Deno.dlopen("libc.so.6", {}),
    "ask about the system": () => Deno.hostname(),
    "import a file": () => import(pathToFileURL(`${directory}/other.ts`).href),
    "start a worker with more": () =>
      new Worker(import.meta.url, { type: "module", deno: { permissions: { read: true } } }),
    "ask for permission": async () => {
      const { state } = await Deno.permissions.request({ name: "net" });
      if (state !== "granted") throw new Deno.errors.NotCapable();
    },
  };
  const results: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
      results[name] = "done";
    } catch (error) {
      results[name] = error instanceof Error ? error.name : String(error);
    }
  }
  return results;
}
