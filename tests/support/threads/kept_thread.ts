/** A thread that does the work of one server after another. See kept_threads.ts. */

import { ContentTasks } from "../../../storage/content/content_tasks.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { readerTasks } from "../../../storage/sqlite/reader_tasks.ts";
import { type DatabaseState, Writer, type WriterOptions } from "../../../storage/sqlite/writer.ts";
import { exposeToParent } from "../../../storage/threads/rpc.ts";

/** An empty database, once it was made. */
let empty: Uint8Array | undefined;

function emptyDatabase(): Uint8Array {
  if (empty !== undefined) return empty;
  const directory = Deno.makeTempDirSync({ prefix: "strongroom-test-" });
  try {
    const path = `${directory}/empty.db`;
    {
      using connection = new Connection(path, { readOnly: false });
      migrate(connection);
    }
    return empty = Deno.readFileSync(path);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

/** Copies an empty database in place of making one, which takes ten times as long. */
class CopyingWriter extends Writer {
  override open(path: string, options: WriterOptions): DatabaseState {
    const isNew = Deno.statSync(path).size === 0;
    if (!isNew) return super.open(path, options);
    Deno.writeFileSync(path, emptyDatabase());
    {
      using connection = new Connection(path, { readOnly: false });
      connection.script(
        "PRAGMA synchronous = OFF; UPDATE storage_state SET strongroom_id = lower(hex(randomblob(16)))",
      );
    }
    return { ...super.open(path, options), isNew };
  }
}

/** What modules of threads expose, when they start. */
const MAKERS = {
  writer: () => new CopyingWriter(),
  reader: readerTasks,
  content: () => new ContentTasks(),
} as const;

export type KeptTask = keyof typeof MAKERS;

/** The methods of the thread besides those of its tasks. */
export interface KeptThread {
  /** Starts work anew, as if the thread had just started. */
  become(task: KeptTask): void;
}

let target: object = {};

const thread: KeptThread = {
  become(task) {
    target = MAKERS[task]();
  },
};

exposeToParent(
  new Proxy(thread, {
    get(own, method) {
      if (method === "become") return own.become;
      const call: unknown = Reflect.get(target, method);
      return typeof call === "function" ? call.bind(target) : undefined;
    },
  }),
);
