/** Prints a problem on stderr. */
export function printError(message: string): void {
  console.error(`strongroom: ${message}`);
}
