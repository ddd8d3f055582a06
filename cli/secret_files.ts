import { type ReadVariable, SECRET_VARIABLES } from "../schemas/settings.ts";

/**
 * Looks up the variable of a secret in the file that `X_FILE` names, if that is set: other users can read
 * the environment of a process in more places than a file (C 31). The line break at its end is not part of it.
 *
 * @param read Looks up what is given.
 * @returns what throws a RangeError for a file that cannot be read or is empty, and for a secret given twice.
 */
export function withSecretFiles(read: ReadVariable): ReadVariable {
  return (variable) => {
    const given = read(variable) || undefined;
    const path = SECRET_VARIABLES.has(variable) ? read(`${variable}_FILE`) || undefined : undefined;
    if (path === undefined) return given;
    if (given !== undefined) {
      throw new RangeError(`Conflicting settings: set only one of ${variable}, ${variable}_FILE`);
    }
    const secret = readText(path, `${variable}_FILE`).replace(/\r?\n$/, "");
    if (secret === "") throw unreadable(path, `${variable}_FILE`, "it is empty");
    return secret;
  };
}

function readText(path: string, variable: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw unreadable(path, variable, error instanceof Error ? error.message : String(error));
  }
}

function unreadable(path: string, variable: string, reason: string): RangeError {
  return new RangeError(
    `Invalid ${variable} ${JSON.stringify(path)}: expected a file with a secret (${reason})`,
  );
}
