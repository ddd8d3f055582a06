import type { Chunk } from "../../core/content.ts";
import { isTurnOver, takeTurn } from "../../core/event_loop.ts";
import { KIB } from "../../schemas/units.ts";

/** How much is decoded at once, in bytes of base64: a multiple of four. */
const PIECE_BYTES = 256 * KIB;

const PADDING = 0x3d;

const latin1 = new TextDecoder("latin1");

/**
 * Decodes base64 in pieces, and lets other tasks run in between.
 *
 * @throws {SyntaxError} when the text is not base64 with padding (RFC 4648, 4).
 */
export async function* decodedBase64(text: Chunk): AsyncGenerator<Chunk, void> {
  for (let start = 0; start < text.length; start += PIECE_BYTES) {
    if (isTurnOver()) await takeTurn();
    yield decodePiece(
      text.subarray(start, start + PIECE_BYTES),
      start + PIECE_BYTES >= text.length,
    );
  }
}

function decodePiece(piece: Chunk, isLast: boolean): Chunk {
  const padding = isLast ? [piece.at(-1), piece.at(-2)].filter((it) => it === PADDING).length : 0;
  const decoded = Uint8Array.fromBase64(latin1.decode(piece), { lastChunkHandling: "strict" });
  // White space is skipped without an error, and padding ends the text.
  if (decoded.length === piece.length / 4 * 3 - padding) return decoded;
  throw new SyntaxError("White space or padding within base64");
}
