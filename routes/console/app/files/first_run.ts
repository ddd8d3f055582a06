import { type ComponentChild, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Usage } from "../../../../schemas/usage.ts";
import { call, request } from "../shared/api.ts";
import { serverUrl } from "../shared/server_url.ts";
import { bytes } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { currentTree, ownTree, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { CopiedLine } from "../ui/copied_line.ts";

/** What a strongroom without files shows: three ways to bring some, and how many it takes. */
export function FirstRun(): ComponentChild {
  const state = useStore(session);
  const { is_person: isPerson = false, tree_names: names = {} } = state.kind === "signedIn"
    ? state.session
    : {};
  const shown = currentTree();
  const isOwn = shown === ownTree();
  // Names are of letters that no shell takes for anything else.
  const tree = names[String(shown)] ?? shown;
  const server = serverUrl();
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
        h(
          "p",
          null,
          isPerson
            ? "The line has you approve that computer here, and sends the directory that you are in."
            : "The line asks for a credential, and sends the directory that you are in.",
        ),
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

/** What the server takes, in a sentence. */
function Limits(): ComponentChild {
  const [sentence, setSentence] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    // Without an answer, files arrive as well.
    limits(abort.signal).then(setSentence, () => {});
    return () => abort.abort();
  }, []);
  return sentence === "" ? null : h("p", { class: "muted" }, sentence);
}

async function limits(signal: AbortSignal): Promise<string> {
  const [{ headers }, { quota }] = await Promise.all([
    request("OPTIONS", "/uploads/", { signal }),
    call<Usage>("GET", "/usage/", { signal }),
  ]);
  const file = `A file has ${bytes(Number(headers.get("Tus-Max-Size")))} at most. `;
  return file +
    (quota === null
      ? "There is no quota: the disk is the limit."
      : `The quota of this tree is ${bytes(quota)}.`);
}
