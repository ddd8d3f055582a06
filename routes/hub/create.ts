import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { createRepository } from "../../core/hub/create_repository.ts";
import { nameable, type RepositoryKind } from "../../core/hub/repository.ts";
import { NewRepository, type RepositoryType } from "../../schemas/hub_repository.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import { failure } from "../reply/envelope.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, hubJson, pageOf } from "./replies.ts";
import { nameOfUser } from "./whoami.ts";

/** What clients that ask for a public repository are told. `huggingface_hub` prints it from version 2 on. */
const NOT_PUBLIC = "The repository is private: here, none is public. Share it by a link or a tree";

/** `POST /api/repos/create` (C 20). */
export async function postRepository(
  c: Handled,
  { tree, publicUrl }: Services,
  mount: Mount,
): Promise<Response> {
  const { type, private: isPrivate, visibility, ...name } = await jsonBody(
    c.req.raw,
    NewRepository,
  );
  const caller = callerOf(c);
  const kind = kindOfType(type);
  const repository = nameable(caller, { kind, id: idOf(caller, name) }, "create");
  auditChange(c, { paths: [repository.directory] });
  const url = pageOf(publicUrl.for(c), mount, repository);
  try {
    await createRepository(tree, { caller, repository });
  } catch (error) {
    // Clients that accept a repository that exists read its address from the refusal.
    if (!(error instanceof AppError) || error.kind !== "ErrResourcesAlreadyExists") throw error;
    return failure(c, error, { fields: { url } });
  }
  const reply = { url, name: repository.id, id: repository.id };
  if (isPrivate !== false && visibility !== "public") return hubJson(c, reply);
  // Older clients ask for a public one unless they are told otherwise, so that it is not refused.
  return hubJson(c, { ...reply, warning: NOT_PUBLIC }, {
    "X-HF-Warning": `visibility; ${NOT_PUBLIC}`,
  });
}

/** The id of a repository. Without a namespace, it has that of the caller. */
export function idOf(
  { userId }: Caller,
  { name, organization }: {
    readonly name: string;
    readonly organization?: string | null | undefined;
  },
): string {
  return `${organization ?? nameOfUser(userId)}/${name}`;
}

/** The kind of a type of repositories in a body. */
export function kindOfType(type: RepositoryType): RepositoryKind {
  return type === "dataset" ? "datasets" : "models";
}
