import { AppError, quoted } from "../errors.ts";
import { nameOf } from "../paths.ts";
import { KEPT_DIRECTORY } from "./kept_directory.ts";
import { readRevision } from "./read_revision.ts";
import { entryNotFound, type Hub, MAIN, type Repository } from "./repository.ts";

/** How many files and folders of a repository are looked at, at most. */
const MAX_RECORDS = 10_000;
/** What a client asks for that names no quantization, and what it gets if it is there. */
const LATEST = "latest";
const DEFAULT_TAG = "Q4_K_M";

/** What programs that run GGUF files get of a model. */
export interface GgufFiles {
  readonly commitId: string;
  /** Relative to the repository. */
  readonly model: string;
  /** The projector of a model that takes images. Undefined without one. */
  readonly projector: string | undefined;
}

/**
 * The GGUF file of a model that a tag such as `Q8_0` names: it is a part of its name, in upper or lower case. For
 * `latest`, that is `Q4_K_M` or else the first one (C 31).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubEntryNotFound` when no file has the tag,
 *   `ErrResourcesInvalidRequest` when there are too many files to look at.
 */
export function ggufFiles(hub: Hub, repository: Repository, tag: string): Promise<GgufFiles> {
  return readRevision(hub, { repository, revision: MAIN }, async ({ commitId }) => {
    const paths = await ggufPaths(hub, repository);
    const models = paths.filter((path) => !isProjector(path));
    const isLatest = tag.toLowerCase() === LATEST;
    const wanted = isLatest ? DEFAULT_TAG : tag;
    const model = models.find((path) => hasTag(path, wanted)) ?? (isLatest ? models[0] : undefined);
    if (model === undefined) {
      throw entryNotFound(repository, tag, "no GGUF file has this in its name");
    }
    return { commitId, model, projector: paths.find(isProjector) };
  });
}

/** The GGUF files of a repository in the order of their paths. Of one in parts, only the first part. */
async function ggufPaths(
  { tree }: Hub,
  { userId, directory, id }: Repository,
): Promise<string[]> {
  const found: string[] = [];
  let records = 0;
  for await (
    const batch of tree.records.list({
      scope: { userId, everyone: false },
      recursive: true,
      directories: [directory],
      chain: [],
    })
  ) {
    records += batch.length;
    if (records > MAX_RECORDS) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot look for a GGUF file: ${quoted(id)} has more than ${MAX_RECORDS} files and folders`,
      );
    }
    for (const { path, isDir } of batch) {
      const relative = path.slice(directory.length + 1);
      const isOther = isDir || relative.startsWith(`${KEPT_DIRECTORY}/`);
      if (!isOther && isFirstPart(relative)) found.push(relative);
    }
  }
  return found.sort();
}

function isFirstPart(path: string): boolean {
  const part = /-(\d{5})-of-\d{5}\.gguf$/i.exec(path)?.[1];
  return /\.gguf$/i.test(path) && (part === undefined || Number(part) === 1);
}

function isProjector(path: string): boolean {
  return /mmproj/i.test(nameOf(path));
}

/** Whether a tag is the name of a file, or a part of it between dots, dashes and the like. */
function hasTag(path: string, tag: string): boolean {
  const name = nameOf(path).toLowerCase();
  const wanted = tag.toLowerCase();
  const at = name.indexOf(wanted);
  return at !== -1 && wanted !== "" && isBorder(name[at - 1]) && isBorder(name[at + wanted.length]);
}

function isBorder(char: string | undefined): boolean {
  return char === undefined || /[^a-z0-9_]/.test(char);
}
