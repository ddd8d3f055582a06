import { type ComponentChild, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { bytes, count } from "../shared/format.ts";
import { nameOf } from "../shared/paths.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { type ReadFile, readRange } from "./prefix.ts";
import { imageType } from "./kinds.ts";

/** Larger images are not read: 32 MiB. */
const MAX_BYTES = 32 * 2 ** 20;
/** Larger images are not shown, as each pixel takes four bytes of memory. */
const MAX_PIXELS = 40_000_000;

/** An image of a kind that cannot run anything. */
export function ImageView({ file }: { readonly file: ReadFile }): ComponentChild {
  const loaded = useLoaded(
    (signal) =>
      file.size > MAX_BYTES
        ? Promise.resolve(undefined)
        : readRange(file, { start: 0, end: file.size }, signal),
    [file.etag],
  );
  return h(Await<Uint8Array<ArrayBuffer> | undefined>, {
    loading: loaded,
    what: "the image",
    children: (content) =>
      content === undefined
        ? h("p", null, `Images of more than ${bytes(MAX_BYTES)} are not shown.`)
        : h(Picture, { content, description: nameOf(file.path) }),
  });
}

type Shown =
  | { readonly kind: "loading" }
  | { readonly kind: "broken" }
  | {
    readonly kind: "ready";
    readonly url: string;
    readonly width: number;
    readonly height: number;
  };

/** The image that bytes are. Its type is that of its first bytes, whatever its name is. */
export function Picture(
  { content, description }: {
    readonly content: Uint8Array<ArrayBuffer>;
    readonly description: string;
  },
): ComponentChild {
  const [shown, setShown] = useState<Shown>({ kind: "loading" });
  useEffect(() => {
    const type = imageType(content);
    if (type === undefined) return setShown({ kind: "broken" });
    const url = URL.createObjectURL(new Blob([content], { type }));
    const probe = new Image();
    // The size is known before the pixels are decoded.
    probe.onload = () => {
      const { naturalWidth: width, naturalHeight: height } = probe;
      setShown({ kind: "ready", url, width, height });
    };
    probe.onerror = () => setShown({ kind: "broken" });
    probe.src = url;
    return () => {
      probe.onload = probe.onerror = null;
      URL.revokeObjectURL(url);
    };
  }, [content]);
  switch (shown.kind) {
    case "loading":
      return null;
    case "broken":
      return h("p", null, "The browser cannot read this image.");
    case "ready": {
      const { url, width, height } = shown;
      const size = `${count(width)} × ${count(height)} pixels`;
      if (width * height > MAX_PIXELS) return h("p", null, `${size} are too many to show.`);
      return h(
        "figure",
        { class: "preview-image" },
        h("img", { src: url, alt: description, width, height }),
        h("figcaption", { class: "muted" }, size),
      );
    }
  }
}
