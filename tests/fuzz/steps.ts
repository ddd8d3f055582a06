/** Operations on a tree, as the model of RS and a real server both perform them. */

import { type Client, entry, items, type Reply } from "../support/client.ts";
import type { ResourceEntry } from "../../schemas/resources.ts";
import {
  type ExpectedOutcome,
  ExpectedRefusal,
  type Model,
  type ModelRecord,
  type ModelUser,
  type OnConflict,
  type RestoreStep,
  type TransferRequest,
} from "./model.ts";

/** An operation with literal paths. */
export type TreeStep =
  | {
    readonly kind: "move" | "copy";
    readonly caller: ModelUser;
    readonly request: TransferRequest;
  }
  | UploadStep
  | { readonly kind: "restore"; readonly caller: ModelUser } & RestoreStep
  | { readonly kind: "mkdir"; readonly caller: ModelUser; readonly path: string }
  | PathsStep<string>;

export interface UploadStep {
  readonly kind: "upload";
  readonly caller: ModelUser;
  readonly dir: string;
  /** Names and contents. */
  readonly files: readonly (readonly [string, string])[];
  /** @default "error" */
  readonly onConflict?: OnConflict;
}

export interface PathsStep<Path> {
  readonly kind: "remove" | "list";
  readonly caller: ModelUser;
  readonly paths: readonly Path[];
  readonly recursive: boolean;
  /** Whether no version has what is removed (C 26). @default false */
  readonly purge?: boolean;
}

/** Runs a step on the model, which a refusal does not change. */
export function expectedOf(model: Model, step: TreeStep): ExpectedOutcome | ExpectedRefusal {
  try {
    switch (step.kind) {
      case "move":
      case "copy":
        return model[step.kind](step.caller, step.request);
      case "restore":
        return model.restore(step.caller, step);
      case "remove":
        return model.remove(step.caller, step.paths);
      case "list":
        return model.list(step.caller, step.paths, step.recursive);
      case "upload":
        return model.upload(step.caller, step.dir, step.files, step.onConflict);
      case "mkdir":
        return model.mkdir(step.caller, step.path);
    }
  } catch (error) {
    if (error instanceof ExpectedRefusal) return error;
    throw error;
  }
}

/**
 * Sends a step to a server.
 *
 * @param bytesOf The content that a text of the model stands for.
 */
export function send(
  client: Client,
  step: TreeStep,
  bytesOf: (content: string) => string | Uint8Array<ArrayBuffer> = (content) => content,
): Promise<Reply> {
  switch (step.kind) {
    case "move":
      return client.json("PUT", "/resources/move", step.request);
    case "copy":
      return client.json("POST", "/resources/copy", step.request);
    case "restore":
      return client.json("POST", "/resources/restore", step.body);
    case "remove":
      return client.remove({ "paths[]": step.paths, purge: step.purge ? "true" : undefined });
    case "list":
      return client.list({ "paths[]": step.paths, recursive: String(step.recursive) });
    case "upload": {
      const body = new FormData();
      for (const [name, content] of step.files) {
        body.append("files", new Blob([bytesOf(content)]), name);
      }
      return client.send("POST", "/resources/", {
        query: { dir: step.dir, on_conflict: step.onConflict },
        body,
      });
    }
    case "mkdir":
      return client.mkdir(step.path);
  }
}

/** The entries of a successful reply. */
export function entriesOf(step: TreeStep, reply: Reply): ResourceEntry[] {
  return step.kind === "mkdir" ? [entry(reply)] : items(reply);
}

/** What the entry of a reply and a record of the model have in common. */
export const shownEntry = ({ user_id, path, is_dir, size }: ResourceEntry) =>
  `${user_id} ${path} ${is_dir} ${size}`;

export const shownRecord = (
  { user, path, node }: ModelRecord,
  sizeOf: (content: string) => number = (content) => content.length,
) => `${user} ${path} ${node.isDir} ${sizeOf(node.content)}`;
