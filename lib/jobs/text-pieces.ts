// Splits long texts into pieces, so that encoding them does not block the event loop.

/** UTF-16 units of a piece, which are encoded in a fraction of a millisecond. */
const PIECE = 256 * 1024;

/**
 * The text in pieces, none of which ends within a pair of surrogates: the bytes of the pieces are those of the text.
 */
export function* piecesOf(text: string): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
