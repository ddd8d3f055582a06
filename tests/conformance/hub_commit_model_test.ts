import * as assert from "node:assert/strict";
import { AppError } from "../../core/errors.ts";
import { findObjects } from "../../core/hub/lfs_objects.ts";
import type { Operation } from "../../core/hub/ports.ts";
import { ancestorsOf, isBelow } from "../../core/paths.ts";
import {
  callerWith,
  commitTo,
  file,
  lfsFile,
  park,
  REPOSITORY,
  sha256Of,
} from "../support/commits.ts";
import { allRecords, checkInvariants } from "../support/invariants.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { TestServer } from "../support/server.ts";

const ONE = callerWith(1);
const COMMITS = 150;

/** An operation whose content is a text. */
type Step =
  | { readonly kind: "file"; readonly path: string; readonly content: string }
  | { readonly kind: "lfsFile"; readonly path: string; readonly content: string }
  | Extract<Operation, { kind: "deletedFile" | "deletedFolder" | "copyFile" }>;

/** A repository as plain maps. */
class ModelRepository {
  /** The content of files, and undefined for directories, by path. */
  tree: ReadonlyMap<string, string | undefined> = new Map();
  readonly waiting = new Set<string>();

  /** Carries out a commit, if it is valid, and says whether it is. */
  commit(steps: readonly Step[]): boolean {
    const before = this.tree;
    const after = new Map(before);
    const keys = steps.map(({ kind, path }) => kind === "deletedFolder" ? `${path}/` : path);
    if (new Set(keys).size < keys.length) return false;
    for (const { kind, path } of steps) {
      if (kind !== "deletedFile" && kind !== "deletedFolder") continue;
      if (!before.has(path)) return false;
      if ((before.get(path) === undefined) !== (kind === "deletedFolder")) return false;
      for (const other of before.keys()) {
        if (other === path || isBelow(other, path)) after.delete(other);
      }
    }
    const added = new Map<string, string>();
    for (const step of steps) {
      if (step.kind === "deletedFile" || step.kind === "deletedFolder") continue;
      const content = step.kind === "copyFile" ? before.get(step.from) : step.content;
      if (content === undefined) return false;
      if (step.kind === "lfsFile" && !this.holds(content)) return false;
      added.set(step.path, content);
    }
    for (const [path, content] of added) {
      const above = ancestorsOf(path);
      if (above.some((it) => added.has(it) || after.get(it) !== undefined)) return false;
      if (after.has(path) && after.get(path) === undefined) return false;
      for (const directory of above) after.set(directory, undefined);
      after.set(path, content);
    }
    this.tree = after;
    for (const step of steps) if (step.kind === "lfsFile") this.waiting.delete(step.content);
    return true;
  }

  holds(content: string): boolean {
    return this.waiting.has(content) || [...this.tree.values()].includes(content);
  }
}

function randomSteps(random: Random, { tree }: ModelRepository): Step[] {
  const files = [...tree.keys()].filter((path) => tree.get(path) !== undefined);
  const folders = [...tree.keys()].filter((path) => tree.get(path) === undefined);
  const pick = (paths: readonly string[]) => {
    const all = random(10) === 0 ? [...files, ...folders] : paths;
    return all[random(all.length)] ?? "a";
  };
  const fresh = () => Array.from({ length: 1 + random(3) }, () => "abcdef"[random(6)]).join("/");
  const path = () => random(2) === 0 ? pick(files) : fresh();
  const content = () => `content ${random(6)}`;
  return Array.from({ length: 1 + random(4) }, (): Step => {
    switch (random(6)) {
      case 0:
        return { kind: "deletedFile", path: pick(files) };
      case 1:
        return { kind: "deletedFolder", path: pick(folders) };
      case 2:
        return { kind: "copyFile", from: pick(files), path: path() };
      case 3:
        return { kind: "lfsFile", path: path(), content: content() };
      default:
        return { kind: "file", path: path(), content: content() };
    }
  });
}

function operationOf(step: Step): Operation {
  if (step.kind === "file") return file(step.path, step.content);
  return step.kind === "lfsFile" ? lfsFile(step.path, step.content) : step;
}

/** The paths of the repository, with the SHA-256 of files. */
async function contentsOf(server: TestServer): Promise<Map<string, string | undefined>> {
  const records = (await allRecords(server, 1)).filter(({ path }) => isBelow(path, REPOSITORY));
  const verdicts = await server.tree.verdicts.of(records);
  return new Map(records.map(({ path, isDir }, index) => [
    path.slice(REPOSITORY.length + 1),
    isDir ? undefined : verdicts[index]?.sha256 ?? "unknown",
  ]));
}

for (const maxDirectRecords of [10_000, 1]) {
  const how = maxDirectRecords === 1 ? "in steps" : "in one transaction";
  Deno.test(`C 20 random commits do what plain maps do, ${how}`, async () => {
    await using server = await TestServer.start({ maxDirectRecords });
    await (await server.as(1)).mkdir(REPOSITORY);
    const model = new ModelRepository();
    const random = seededRandom(20_261_122 + maxDirectRecords);
    let carriedOut = 0;
    for (let count = 0; count < COMMITS; count++) {
      const object = `content ${random(6)}`;
      if (random(3) === 0) {
        await park(server.hub, ONE, object);
        model.waiting.add(object);
      }
      const steps = randomSteps(random, model);
      const label = JSON.stringify([[...model.tree], steps]);
      const isValid = model.commit(steps);
      const outcome = await commitTo(server.hub, ONE, steps.map(operationOf)).then(
        () => true,
        (error) => {
          if (error instanceof AppError) return false;
          throw error;
        },
      );
      assert.equal(outcome, isValid, label);
      if (isValid) carriedOut++;
      const expected = new Map(
        [...model.tree].map(([path, it]) => [path, it === undefined ? it : sha256Of(it)]),
      );
      assert.deepEqual(await contentsOf(server), expected, label);
      const asked = Array.from({ length: 6 }, (_, index) => `content ${index}`);
      const pointers = asked.map((it) => ({ sha256: sha256Of(it), size: it.length }));
      assert.deepEqual(
        await findObjects(server.hub, ONE, pointers),
        asked.map((it) => model.holds(it)),
        label,
      );
    }
    assert.ok(carriedOut > COMMITS / 5 && carriedOut < COMMITS, String(carriedOut));
    await checkInvariants(server);
  });
}
