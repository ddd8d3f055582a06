import { type ComponentChild, h } from "preact";
import type { FactsEntry } from "../../../../schemas/facts.ts";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { SignatureEntry } from "../../../../schemas/signatures.ts";
import type { StatEntry, VerdictEntry } from "../../../../schemas/verdicts.ts";
import { ContentCards } from "../file/content_cards.ts";
import { readContent } from "../file/content.ts";
import { Head } from "../history/head.ts";
import { MarkdownView } from "../preview/markdown_view.ts";
import type { ReadFile } from "../preview/prefix.ts";
import { apiUrl, call, list } from "../shared/api.ts";
import { serverUrl } from "../shared/server_url.ts";
import { plural } from "../shared/format.ts";
import { nameOf } from "../shared/paths.ts";
import { linkTo } from "../shared/router.ts";
import { currentTree, may, ownTree, session, shownAt } from "../shared/session.ts";
import { unless } from "../shared/unless.ts";
import { CopiedLine } from "../ui/copied_line.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { SignatureBadge } from "../ui/signature.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import { Actions } from "./actions.ts";
import { LastChange } from "./changes.ts";
import { concerns } from "./concerns.ts";
import { ModelFacts } from "./facts_card.ts";
import { linesFor } from "./lines.ts";
import { MAX_FILES, verdictsBelow } from "./verdicts.ts";

interface OfModel {
  readonly path: string;
}

/** The page of the model that a folder has: its card, what it says of itself, its files, and how to get it (C 29). */
export function ModelView({ path }: OfModel): ComponentChild {
  const facts = useLoaded(
    (signal) => call<FactsEntry>("GET", "/resources/facts", { query: { path }, signal }),
    [path, shownAt.value],
    (event) => concerns(event, path),
  );
  const files = useLoaded(
    (signal) => verdictsBelow(path, signal),
    [path, shownAt.value],
    (event) => concerns(event, path),
  );
  return h(
    "div",
    { class: "page" },
    h(
      Head,
      { title: h("bdi", null, nameOf(path)), back: path, isCompact: true },
      h(Actions, { path, files: files.state.kind === "loaded" ? files.state.data : undefined }),
    ),
    h(Await<FactsEntry>, {
      loading: facts,
      what: "what is known of the model",
      children: (entry) => [
        h(
          "div",
          { key: "known", class: "page-columns" },
          h(ModelFacts, { entry }),
          h(LinesCard, { path }),
        ),
        may("resources.download") && h(LastChange, { key: "last", path }),
        h(Signature, { key: "signature", path }),
        may("resources.download") && h(ModelCard, { key: "card", path }),
        may("resources.download") && h(Tensors, { key: "tensors", path }),
        h(Await<readonly VerdictEntry[]>, {
          key: "files",
          loading: files,
          what: "the files",
          children: (items) => h(FilesCard, { path, files: items }),
        }),
      ],
    }),
  );
}

function LinesCard({ path }: OfModel): ComponentChild {
  const address = new URL(apiUrl("/resources/download", { path }), location.href).href
    .replace("/console/api/", "/api/v1/");
  const lines = linesFor({
    path,
    server: serverUrl(),
    tree: treeName(),
    at: shownAt.value,
    address,
  });
  return h(
    Card,
    { title: "Get it" },
    lines.map(({ title, what, line }) =>
      h("div", { key: title }, h("h3", null, title), h(CopiedLine, { line, what }))
    ),
  );
}

/** The name or the number of the tree that is shown. Undefined for the own one. */
function treeName(): string | undefined {
  const shown = currentTree();
  if (shown === undefined || shown === ownTree()) return undefined;
  const { value } = session;
  const names = value.kind === "signedIn" ? value.session.tree_names : undefined;
  // Names are of letters that no shell takes for anything else.
  return names?.[String(shown)] ?? String(shown);
}

/** Whose signature it has. Undefined where the server trusts nobody. */
function Signature({ path }: OfModel): ComponentChild {
  const loading = useLoaded(
    (signal) =>
      unless<SignatureEntry>(
        "ErrNotOffered",
        call("GET", "/resources/signature", { query: { path }, signal }),
      ),
    [path, shownAt.value],
    (event) => concerns(event, path),
  );
  return h(Await<SignatureEntry | undefined>, {
    loading,
    what: "the signature",
    children: (entry) => entry === undefined ? null : h(SignatureCard, { entry }),
  });
}

function SignatureCard({ entry }: { readonly entry: SignatureEntry }): ComponentChild {
  const { signature, files, left_out: leftOut, problems, path } = entry;
  const isSigned = signature.state === "signed";
  return h(
    Card,
    { title: "Signature", actions: h(SignatureBadge, { signature }) },
    signature.reason !== undefined && h("p", null, h("bdi", null, signature.reason)),
    isSigned && h("p", null, `${plural(files, "file is", "files are")} as signed.`),
    leftOut > 0 &&
      h("p", { class: "muted" }, `The signer has left out ${plural(leftOut, "file")}.`),
    problems.length > 0 && h(Rows<SignatureEntry["problems"][number]>, {
      label: "Files that are not as they were signed",
      rows: problems,
      columns: [
        { title: "File", cell: (it) => h("bdi", null, it.path.slice(path.length + 1)) },
        { title: "What", cell: (it) => it.problem },
      ],
    }),
  );
}

/** The card that the author has written. */
function ModelCard({ path }: OfModel): ComponentChild {
  const loading = useLoaded(
    (signal) => fileAt(`${path}/README.md`, signal),
    [path, shownAt.value],
    (event) => concerns(event, `${path}/README.md`),
  );
  return h(Await<ReadFile | undefined>, {
    loading,
    what: "the card",
    children: (file) =>
      file === undefined ? null : h(
        Card,
        { title: "Card" },
        h(MarkdownView, { key: file.etag, file }),
      ),
  });
}

/** The tensors of the first file of weights, by its header. */
function Tensors({ path }: OfModel): ComponentChild {
  const content = useLoaded(
    async (signal) => {
      const file = await firstWeights(path, signal);
      return file === undefined ? { format: undefined } : await readContent(file, signal);
    },
    [path, shownAt.value],
    (event) => concerns(event, path),
  );
  return h(ContentCards, { content });
}

async function firstWeights(path: string, signal: AbortSignal): Promise<ReadFile | undefined> {
  for await (const entries of list<ResourceEntry>("/resources/", { query: { path }, signal })) {
    const found = entries.find(({ name }) => /\.(?:safetensors|gguf)$/i.test(name));
    if (found !== undefined) return await fileAt(found.path, signal);
  }
  return undefined;
}

async function fileAt(path: string, signal: AbortSignal): Promise<ReadFile | undefined> {
  const found = await unless<StatEntry>(
    "ErrResourcesNotFound",
    call("GET", "/resources/stat", { query: { path }, signal }),
  );
  if (found === undefined || found.is_dir || found.etag === null) return undefined;
  return { path, size: found.size, etag: found.etag };
}

/** Its files, those of the most concern first. */
function FilesCard(
  { path, files }: OfModel & { readonly files: readonly VerdictEntry[] },
): ComponentChild {
  const hasSignatures = files.some(({ signature }) => signature !== undefined);
  return h(
    Card,
    { title: "Files" },
    files.length > MAX_FILES &&
      h("p", { class: "muted" }, `The first ${plural(MAX_FILES, "file")} of it.`),
    h(Rows<VerdictEntry>, {
      label: "Files of the model",
      rows: files.slice(0, MAX_FILES),
      keyOf: ({ id }) => id,
      columns: [
        {
          title: "File",
          cell: (file) =>
            h(
              "a",
              { href: linkTo("file", file.path) },
              h("bdi", null, file.path.slice(path.length + 1)),
            ),
        },
        { title: "Verdict", cell: ({ verdict }) => h(VerdictBadge, { verdict }) },
        {
          title: "Findings",
          cell: ({ findings }) => findings.map(({ message }) => message).join("; "),
        },
        ...hasSignatures
          ? [{
            title: "Signature",
            cell: ({ signature }: VerdictEntry) =>
              signature === undefined ? null : h(SignatureBadge, { signature }),
          }]
          : [],
      ],
    }),
  );
}
