/** Whether a text can be the name of a namespace, a repository or a branch: the clients must take it for one, too. */
export function isSegment(text: string): boolean {
  return /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$/.test(text) &&
    !text.includes("--") && !text.includes("..") && !text.endsWith(".git");
}
