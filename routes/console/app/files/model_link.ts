import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { linkTo } from "../shared/router.ts";
import { Icon } from "../ui/icon.ts";

/** The names of files that a model has. */
const OF_MODELS =
  /^(?:readme\.md|config\.json|model_index\.json|adapter_config\.json|model\.sig)$|\.(?:safetensors|gguf|onnx|keras|tflite|pt|pth|ckpt)$/i;

/** The way from a folder to the page of the model that it has, if its files say that it has one. */
export function ModelLink(
  { path, entries }: { readonly path: string; readonly entries: readonly ResourceEntry[] },
): ComponentChild {
  const isModel = entries.some(({ name, is_dir: isDir }) => !isDir && OF_MODELS.test(name));
  if (path === "" || !isModel) return null;
  return h(
    "a",
    { class: "button", href: linkTo("model", path) },
    h(Icon, { name: "file" }),
    h("span", null, "Model page"),
  );
}
