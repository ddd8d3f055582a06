/** The lines for a terminal that get a model. */

/** A line to copy. */
export interface Line {
  readonly title: string;
  /** What it does, for screen readers. */
  readonly what: string;
  readonly line: string;
}

/** Where a folder is. */
export interface Place {
  readonly path: string;
  /** The URL of the server. */
  readonly server: string;
  /** The name or the number of its tree. @default that of whoever asks */
  readonly tree: string | undefined;
  /** The version that is meant. @default the present */
  readonly at: string | undefined;
  /** Where its ZIP is. */
  readonly address: string;
}

/** The lines that get what a folder has. Clients of the hub know models and data sets, as they are now. */
export function linesFor({ path, server, tree, at, address }: Place): Line[] {
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

/** A word that a shell takes as it is. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
