import * as assert from "node:assert/strict";
import { AppError } from "../../../../core/errors.ts";
import type { PartContent } from "../../../../core/uploads.ts";
import { DirectoryBlobStore } from "../../../../storage/content/directory/directory_blob_store.ts";
import { SqliteResourceStore } from "../../../../storage/sqlite/sqlite_resource_store.ts";
import { TempDir } from "../../../support/temp_dir.ts";

Deno.test("C 30 parts that another request has ended cannot be joined, which is worth another try", async () => {
  await using directory = await TempDir.make();
  await using records = await SqliteResourceStore.open(`${directory.path}/strongroom.db`);
  await using blobs = await DirectoryBlobStore.open(directory.path, { contents: records.contents });
  await using parts = blobs.parts;
  const whole = "f".repeat(32);
  for (const [round, ended] of [0, 1, 2].entries()) {
    const received: PartContent[] = [];
    for (const [at, text] of ["one", "two", "six"].entries()) {
      const id = `${round}${at}`.padStart(32, "0");
      // Of the last round, each has a file of its own.
      const place = round < 2
        ? { whole: `${round}${whole.slice(1)}`, number: at + 1, size: 3 }
        : undefined;
      await parts.create(id, place);
      const part = await parts.open(id, 0);
      await part.beginWhole(true);
      await part.append(new TextEncoder().encode(text));
      await part.end();
      received.push({ id, position: part.position, size: 3 });
      await part.close();
    }
    await parts.remove(received[ended]?.id ?? "");
    await assert.rejects(
      async () => {
        await using _joined = await parts.join(received);
      },
      (error) => error instanceof AppError && error.kind === "ErrUploadsLocked",
      `${round}`,
    );
  }
});
