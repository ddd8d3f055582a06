import { ggufFiles } from "../../core/hub/gguf_files.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, hubJson, repositoryOf } from "./replies.ts";

/**
 * `GET /v2/{repo}/manifests/{tag}` (C 31): the names of the files that llama.cpp loads for a tag. What else
 * the public hub has there is for the registry of another program, which cannot send a credential.
 */
export async function showManifest(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  const repository = repositoryOf(c, mount);
  const { commitId, model, projector } = await ggufFiles(hub, repository, c.req.param("tag") ?? "");
  return hubJson(c, {
    ggufFile: { rfilename: model },
    ...(projector !== undefined && { mmprojFile: { rfilename: projector } }),
  }, { "X-Repo-Commit": commitId });
}
