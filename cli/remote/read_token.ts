import { UsageError } from "../usage_error.ts";

const ETX = 0x03;
const EOT = 0x04;
const BACKSPACE = 0x08;
const DELETE = 0x7f;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const MAX_TOKEN_BYTES = 64 * 1024;

/**
 * Reads a credential from stdin: a line without echo from a terminal, all of it from elsewhere. It is
 * never an argument, as other users see those. Empty if there is none.
 */
export async function readToken(): Promise<string> {
  return (Deno.stdin.isTerminal() ? await readHidden() : await readAll()).trim();
}

async function readAll(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of Deno.stdin.readable) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_TOKEN_BYTES) throw new UsageError("The credential is too long");
  }
  return text;
}

async function readHidden(): Promise<string> {
  const prompt = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  // The prompt invites typing.
  Deno.stdin.setRaw(true);
  prompt("Credential: ");
  try {
    return await readLine();
  } finally {
    Deno.stdin.setRaw(false);
    prompt("\n");
  }
}

/** Reads a line in raw mode, in which keys have no effect but their bytes. */
async function readLine(): Promise<string> {
  const line: number[] = [];
  const buffer = new Uint8Array(1024);
  while (line.length <= MAX_TOKEN_BYTES) {
    const count = await Deno.stdin.read(buffer);
    for (const byte of buffer.subarray(0, count ?? 0)) {
      if (byte === ETX) throw new UsageError("Canceled");
      if ([LINE_FEED, CARRIAGE_RETURN, EOT].includes(byte)) return textOf(line);
      if (byte === BACKSPACE || byte === DELETE) line.pop();
      else line.push(byte);
    }
    if (count === null) return textOf(line);
  }
  throw new UsageError("The credential is too long");
}

function textOf(line: readonly number[]): string {
  return new TextDecoder().decode(new Uint8Array(line));
}
