/**
 * Describes how a file path in a model leaves the model's folder, or returns undefined if it does not.
 * Every `..` counts, even after a harmless folder (CVE-2024-27318), with either separator and as
 * `%2e%2e`.
 */
export function pathEscape(path: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]+:\/\/|file:)/i.test(path)) return "a URL";
  if (/^[/\\]/.test(path) || /^[a-z]:/i.test(path)) return "an absolute path";
  if (path.includes("\0")) return "a path with a NUL byte";
  const decoded = path.replace(/%2e/gi, ".").replace(/%2f/gi, "/").replace(/%5c/gi, "\\");
  if (/^[/\\]/.test(decoded)) return "an absolute path";
  return decoded.split(/[/\\]/).some((segment) => segment.trim() === "..")
    ? "a path with .."
    : undefined;
}
