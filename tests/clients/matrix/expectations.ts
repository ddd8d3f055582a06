/** What each call of the matrix is expected to do. What is not named works. */

import type { Outcome } from "./clients.ts";

/** What there is no use for here. */
const NOT_OFFERED = /[Nn]ot offered here/;
const BAD_CREDENTIAL = /Authorization header|[Ii]nvalid user token|The credential is invalid/;

/** The calls that are refused, and the words for which their caller looks. */
const REFUSALS: Readonly<Record<string, RegExp>> = {
  // History.
  "super squash history": NOT_OFFERED,
  "delete branch": /has no branch or tag "dev"/,
  "delete tag": /has no branch or tag "v1"/,
  "create commit to another branch": /"dev" of team\/branchless not found: expected main/,
  "fs revision that is missing": /team\/system@v1/,
  // Conversations, and what a public hub has around its repositories.
  "upload file create pr": /pull request/,
  "create pull request": NOT_OFFERED,
  "create discussion": NOT_OFFERED,
  "get repo discussions": NOT_OFFERED,
  "list repo likers": NOT_OFFERED,
  "like": NOT_OFFERED,
  "unlike": NOT_OFFERED,
  "create collection": NOT_OFFERED,
  "list collections": NOT_OFFERED,
  "create webhook": NOT_OFFERED,
  "list webhooks": NOT_OFFERED,
  "list papers": NOT_OFFERED,
  "get user overview": NOT_OFFERED,
  "get model tags": NOT_OFFERED,
  "list pending access requests": NOT_OFFERED,
  "update repo settings gated": /nobody asks for access/,
  "update repo visibility public": /all repositories are private/,
  // Spaces, and the storage of the public hub.
  "create repo space": /space/,
  "space info": NOT_OFFERED,
  "list spaces": NOT_OFFERED,
  "duplicate repo": NOT_OFFERED,
  "list lfs files": NOT_OFFERED,
  "permanently delete lfs files": NOT_OFFERED,
  // The client copies between repositories what the storage of the public hub has.
  "copy large files": /no xet hash/,
  // Mistakes of the caller.
  "create repo that exists": /team\/taken exists already/,
  "create repo reserved name": /api\/model/,
  "create commit with stale parent": /A commit has happened since/,
  "create commit to a missing repository": /RepositoryNotFoundError/,
  "delete file missing": /missing\.json/,
  "delete repo missing": /RepositoryNotFoundError|team\/missing/,
  "hf hub download missing file": /missing\.json/,
  "hf hub download missing repository": /RepositoryNotFoundError/,
  "fs ls of a missing repository": /team\/missing/,
  "hf download missing file": /missing\.json/,
  "hf hub download bad credential": BAD_CREDENTIAL,
  "snapshot download bad credential": BAD_CREDENTIAL,
  "model info bad credential": BAD_CREDENTIAL,
  "whoami bad credential": BAD_CREDENTIAL,
  "hf download bad credential": BAD_CREDENTIAL,
  "hf hub download without the privilege": /resources\.download/,
  "upload without the privilege": /resources\.upload/,
  "create repo without the privilege": /resources\.upload/,
  // The library `datasets`.
  "push to hub create pr": /pull request/,
  "push to hub revision": /dev|[Nn]ot offered here/,
  "load dataset missing": /team\/missing/,
  // The library `transformers`.
  "from pretrained missing": /team\/missing/,
  "from pretrained missing revision": /v1/,
  "from pretrained bad credential": BAD_CREDENTIAL,
  // Git LFS.
  "git lfs lock": NOT_OFFERED,
  "git lfs locks": NOT_OFFERED,
  "git lfs pull bad credential": /[Aa]uthoriz|[Aa]uthentic|[Cc]redential/,
  // The npm package.
  "npm deleteBranch": NOT_OFFERED,
  "npm listSpaces": NOT_OFFERED,
  "npm createCollection": NOT_OFFERED,
  "npm missing repository": /team\/missing/,
  "npm bad credential": /credential/,
  // The crate.
  "rust missing file": /404/,
  "rust missing repository": /404/,
  "rust missing revision": /404/,
  "rust bad credential": /401/,
};

/** What some versions do of themselves, whatever the server answers. */
const EXCEPTIONS: readonly {
  readonly call: RegExp;
  readonly name: RegExp;
  readonly words: RegExp;
}[] = [
  // They copy files of Git LFS alone, as they do on the public hub.
  {
    call: /^(?:create commit copies a small file|fs cp small)$/,
    name: /^0\./,
    words: /Copying a non-LFS file is not implemented/,
  },
  // They ask another host, which is part of their program.
  {
    call: /^(?:model card push|metadata update)$/,
    name: /^[01]\./,
    words: /ConnectE|ConnectionE/,
  },
];

/** Whether a call did what is expected of it. Whether a client has it is up to the client. */
export function isExpected(name: string, { call, outcome, words }: Outcome): boolean {
  switch (outcome) {
    case "not there":
      return true;
    case "works":
      return REFUSALS[call] === undefined;
    case "refused": {
      const exception = EXCEPTIONS.find((it) => it.call.test(call) && it.name.test(name));
      return (exception?.words ?? REFUSALS[call])?.test(words) === true;
    }
  }
}
