import { type ComponentChild, h } from "preact";
import type { SignatureOutcome, SignatureState } from "../../../../schemas/signatures.ts";
import { Icon, type IconName } from "./icon.ts";

const SHOWN: Readonly<Record<SignatureState, { badge: string; icon: IconName }>> = {
  signed: { badge: "clean", icon: "shield" },
  invalid: { badge: "dangerous", icon: "cross" },
  unsigned: { badge: "unscanned", icon: "minus" },
};

/** Whose signature a file or folder has, in words, an icon and a color: each of them alone says it (C 29). */
export function SignatureBadge(
  { signature }: { readonly signature: SignatureOutcome },
): ComponentChild {
  const { badge, icon } = SHOWN[signature.state];
  return h(
    "span",
    { class: `badge badge-${badge}`, title: signature.reason },
    h(Icon, { name: icon }),
    h("bdi", null, signatureWords(signature)),
  );
}

function signatureWords({ state, signer, identity }: SignatureOutcome): string {
  if (state === "invalid") return "Signature invalid";
  if (state === "unsigned") return "Not signed";
  return `Signed by ${signer ?? ""}${identity === undefined ? "" : ` (${identity})`}`;
}
