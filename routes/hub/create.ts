import { createRepository } from "../../core/hub/create_repository.ts";
import {
  type Repository,
  type RepositoryName,
  repositoryNamed,
} from "../../core/hub/repository.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError, quoted } from "../../core/errors.ts";
import { NewRepository } from "../../schemas/hub_repository.ts";
import { auditChange } from "../audit.ts";
import { callerOf } from "../auth.ts";
import { jsonBody } from "../body.ts";
import { failure } from "../envelope.ts";
import type { Services } from "../route.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, hubJson, pageOf } from "./replies.ts";
import { nameOfUser } from "./whoami.ts";

/** `POST /api/repos/create` (C 20). */
export async function postRepository(
  c: Handled,
  { tree, publicOrigin }: Services,
  mount: Mount,
): Promise<Response> {
  const { name, organization, type } = await jsonBody(c.req.raw, NewRepository);
  const caller = callerOf(c);
  const repository = newRepository(caller, {
    kind: type === "dataset" ? "datasets" : "models",
    id: `${organization ?? nameOfUser(caller.userId)}/${name}`,
  });
  auditChange(c, { paths: [repository.directory] });
  const url = pageOf(publicOrigin.of(c), mount, repository);
  try {
    await createRepository(tree, { caller, repository });
  } catch (error) {
    // Clients that accept a repository that exists read its address from the refusal.
    if (!(error instanceof AppError) || error.kind !== "ErrResourcesAlreadyExists") throw error;
    return failure(c, error, { fields: { url } });
  }
  return hubJson(c, { url, name: repository.id, id: repository.id });
}

function newRepository(caller: Caller, name: RepositoryName): Repository {
  try {
    return repositoryNamed(caller, name);
  } catch (error) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot create ${
        quoted(name.id)
      }: expected a namespace and a name, each of up to 96 letters, ` +
        "digits, and single dots, dashes and underscores",
      { cause: error },
    );
  }
}
