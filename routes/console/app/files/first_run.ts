import { type ComponentChild, h } from "preact";
import type { Usage } from "../../../../schemas/usage.ts";
import { call, CONSOLE, request } from "../shared/api.ts";
import { bytes } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { currentTree, ownTree } from "../shared/session.ts";
import { CopiedLine } from "../ui/copied_line.ts";
import { Facts } from "../ui/pairs.ts";
import { useLoaded } from "../ui/loaded.ts";

/** What a strongroom without files shows: three ways to bring some, and how many it takes. */
export function FirstRun(): ComponentChild {
  const tree = currentTree();
  const isOwn = tree === ownTree();
  const server = location.origin + CONSOLE.replace(/\/console$/, "");
  const hub = `${server}/hub${isOwn ? "" : `/t/${tree}`}`;
  return h(
    "div",
    { class: "first-run" },
    h("h2", null, "No files yet"),
    h(
      "ol",
      null,
      h(
        "li",
        null,
        h("h3", null, "From this computer"),
        h("p", null, "Drop files or folders here, or use the buttons above."),
      ),
      h(
        "li",
        null,
        h("h3", null, "From a terminal"),
        h("p", null, "The line asks for a credential, and sends the directory that you are in."),
        h(CopiedLine, {
          what: "sends a directory",
          line: `strongroom login ${server} && strongroom put${isOwn ? "" : ` --tree ${tree}`} . :`,
        }),
      ),
      h(
        "li",
        null,
        h("h3", null, "From programs for model hubs"),
        h("p", null, "The same, as the model “me/first”, with the client of Hugging Face."),
        h(CopiedLine, {
          what: "uploads a model",
          line: `printf 'Credential: '; read -r HF_TOKEN; HF_TOKEN=$HF_TOKEN HF_ENDPOINT=${hub} ` +
            "HF_HUB_DISABLE_XET=1 hf upload me/first . .",
        }),
      ),
    ),
    h(
      "p",
      null,
      "A credential for this is made in ",
      h("a", { href: linkTo("access") }, "Access"),
      ".",
    ),
    h(Limits, null),
  );
}

/** What the server takes. */
interface Taken {
  /** The largest file, in bytes. */
  readonly file: number;
  readonly usage: Usage;
}

function Limits(): ComponentChild {
  const { state } = useLoaded(async (signal): Promise<Taken> => {
    const [{ headers }, usage] = await Promise.all([
      request("OPTIONS", "/uploads/", { signal }),
      call<Usage>("GET", "/usage/", { signal }),
    ]);
    return { file: Number(headers.get("Tus-Max-Size")), usage };
  }, []);
  if (state.kind !== "loaded") return null;
  const { file, usage: { quota } } = state.data;
  return h(Facts, {
    facts: [
      ["Largest file", bytes(file)],
      ["Quota", quota === null ? "None: the disk is the limit" : `${bytes(quota)} in this tree`],
    ],
  });
}
