/** The lines for a terminal that get a model. */

import { apiUrl, CONSOLE } from "../shared/api.ts";
import { currentTree, ownTree, session, shownAt } from "../shared/session.ts";

/** A line to copy. */
export interface Line {
  readonly title: string;
  /** What it does, for screen readers. */
  readonly what: string;
  readonly line: string;
}

/** The lines that get what a folder has. Clients of the hub know models and data sets, as they are now. */
export function linesFor(path: string): Line[] {
  const server = location.origin + CONSOLE.replace(/\/console$/, "");
  const at = shownAt.value;
  const tree = treeName();
  const [kind, namespace, name, ...deeper] = path.split("/");
  const id = `${namespace}/${name}`;
  const isRepository = (kind === "models" || kind === "datasets") && name !== undefined &&
    deeper.length === 0 && !name.includes("@") && !id.startsWith("-") && at === undefined;
  const hub = `HF_ENDPOINT=${server}/hub${tree === undefined ? "" : `/t/${tree}`}`;
  const isModel = isRepository && kind === "models";
  const options = [
    tree === undefined ? "" : ` --tree ${tree}`,
    at === undefined ? "" : ` --at ${quoted(at)}`,
  ];
  const address = new URL(apiUrl("/resources/download", { path }), location.href).href
    .replace("/console/api/", "/api/v1/");
  const lines: (Line | false)[] = [
    isRepository && {
      title: "hf",
      what: "downloads it with the client of Hugging Face",
      line: `${hub} hf download ${kind === "datasets" ? "--repo-type dataset " : ""}${quoted(id)}`,
    },
    isModel && {
      title: "transformers",
      what: "loads it with transformers",
      line: `${hub} python3 -c ${
        quoted(
          `from transformers import AutoModel; AutoModel.from_pretrained(${JSON.stringify(id)})`,
        )
      }`,
    },
    {
      title: "strongroom",
      what: "downloads it with strongroom",
      // A colon is the root: whoever has named the folder must not choose options.
      line: `strongroom get${options.join("")} ${
        quoted(path.startsWith("-") ? `:${path}` : path)
      } .`,
    },
    {
      title: "curl",
      what: "downloads it as a ZIP",
      line: `curl -fH "Authorization: Bearer $STRONGROOM_TOKEN" -o model.zip ${quoted(address)}`,
    },
  ];
  return lines.filter((it) => it !== false);
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

/** A word that a shell takes as it is. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
