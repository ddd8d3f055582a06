import { exposeToParent } from "../../../storage/threads/rpc.ts";

/** Tries what a thread might do, and tells whether it was permitted. */
export interface Attempts {
  readonly attempt: (action: Action, path: string) => Promise<boolean>;
}

export type Action = "read" | "write" | "net" | "env" | "run";

const ACTIONS: Readonly<Record<Action, (path: string) => unknown>> = {
  read: (path) => Deno.readTextFile(path),
  write: (path) => Deno.writeTextFile(path, "written"),
  net: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
  env: () => Deno.env.toObject(),
  run: () => new Deno.Command("true").output(),
};

exposeToParent(
  {
    async attempt(action, path) {
      try {
        await ACTIONS[action](path);
        return true;
      } catch (error) {
        return !(error instanceof Deno.errors.NotCapable);
      }
    },
  } satisfies Attempts,
);
