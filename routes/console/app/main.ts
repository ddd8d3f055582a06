import { type ComponentChild, h, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { DeviceLogin } from "./device_login.ts";
import { ignoreOtherDrops } from "./files/drag.ts";
import { resumeSession } from "./shared/api.ts";
import { Invitation } from "./invitation.ts";
import { followChanges } from "./shared/live.ts";
import { followRights } from "./shared/rights.ts";
import { place } from "./shared/router.ts";
import { session } from "./shared/session.ts";
import { Shell } from "./shell.ts";
import { SignIn } from "./sign_in.ts";
import { useStore } from "./shared/store.ts";
import { followTargets } from "./uploads/follow.ts";
import { followReplaced } from "./uploads/replaced.ts";
import { followRest } from "./uploads/rest.ts";
import { followSession } from "./uploads/resume.ts";
import { followTime } from "./ui/ago.ts";
import { followDensity } from "./ui/density.ts";
import { keepFocus } from "./ui/kept_focus.ts";
import { escapeShownText } from "./ui/shown_text.ts";
import { Loading, Problem } from "./ui/states.ts";

function Console(): ComponentChild {
  const state = useStore(session);
  const { room, path } = useStore(place);
  if (room === "invitation" && state.kind !== "unknown") return h(Invitation, { token: path });
  if (room === "login" && state.kind === "signedIn") return h(DeviceLogin, { code: path });
  switch (state.kind) {
    case "unknown":
      return h(Resuming, null);
    case "signedOut":
      return h(SignIn, { reason: state.reason });
    case "signedIn":
      return h(Shell, { session: state.session });
  }
}

/** Shown until the server has said who is signed in. */
function Resuming(): ComponentChild {
  const [error, setError] = useState<unknown>();
  const resume = () => {
    setError(undefined);
    resumeSession().catch(setError);
  };
  useEffect(resume, []);
  return [
    // What the page shows before this code has arrived.
    h("header", { key: "top", class: "top" }, h("span", { class: "brand" }, "strongroom")),
    error === undefined
      ? h(Loading, { key: "state", what: "the console" })
      : h(Problem, { key: "state", error, retry: resume, isPage: true }),
  ];
}

escapeShownText();
followDensity();
keepFocus();
followChanges();
followRights();
followTime();
followSession();
followTargets();
followRest();
followReplaced();
ignoreOtherDrops();
document.body.replaceChildren();
render(h(Console, null), document.body);
