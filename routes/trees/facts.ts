import type { Context } from "hono";
import type { Chunk } from "../../core/content.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { billOfMaterials } from "../../core/tree/bom.ts";
import { facts, type RecordFacts } from "../../core/tree/facts.ts";
import { signature } from "../../core/tree/signature.ts";
import type { FactsEntry } from "../../schemas/facts.ts";
import type { SignatureEntry } from "../../schemas/signatures.ts";
import { CYCLONE_DX } from "../openapi/facts.ts";
import { success } from "../reply/envelope.ts";
import { encodedChunks } from "../reply/gzip.ts";
import { streamed } from "../reply/streamed.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { idsOf, parseQuery, pathsOf } from "../request/query.ts";
import { treeOfRequest } from "../serving/at.ts";
import { callerOf } from "../serving/auth.ts";

type Handled = Context<AppEnvironment>;

/** `GET /resources/facts` (C 29). */
export async function showFacts(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const request = { caller: callerOf(c), paths: pathsOf(query), ids: idsOf(query) };
  return success(c, entryOf(await facts(await treeOfRequest(c, tree), request)));
}

/** `GET /resources/signature` (C 29). */
export async function showSignature(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const request = { caller: callerOf(c), paths: pathsOf(query), ids: idsOf(query) };
  const { record, bundle = null, leftOut, problems, ...found } = await signature(
    await treeOfRequest(c, tree),
    request,
  );
  const { path, isDir } = record;
  return success(
    c,
    {
      ...{ path, is_dir: isDir, bundle, left_out: leftOut, problems: [...problems] },
      ...found,
    } satisfies SignatureEntry,
  );
}

/** `GET /resources/bom`: the bare document (C 29). */
export async function showBom(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const request = { caller: callerOf(c), paths: pathsOf(query), ids: idsOf(query) };
  const at = query.get("at")?.[0];
  const pieces = billOfMaterials(await treeOfRequest(c, tree), request, at);
  const { body, headers } = encodedChunks(c, encodedPieces(pieces));
  return await streamed(c, body, { headers: { "Content-Type": CYCLONE_DX, ...headers } });
}

const encoder = new TextEncoder();

async function* encodedPieces(pieces: AsyncIterable<string>): AsyncGenerator<Chunk> {
  for await (const piece of pieces) yield encoder.encode(piece);
}

function entryOf({ record, facts, formats, isComplete }: RecordFacts): FactsEntry {
  const { path, isDir } = record;
  const { card: _card, ...shown } = facts;
  return { path, is_dir: isDir, facts: shown, formats: [...formats], complete: isComplete };
}
