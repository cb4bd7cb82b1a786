// The hierarchy that is in the codes themselves, for tables that do not name parents: A01 above A01.1, and the block
// A00-A09 above A01.

const BLOCK = /^([A-Z]\d{2})\s*[-–]\s*([A-Z]\d{2})$/;

interface Block {
  readonly code: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the parent of each code: the longest code that it begins with, or else the narrowest block around it. */
export function parentsByPrefix(codes: readonly string[]): (code: string) => string | undefined {
  const known = new Set(codes);
  const blocks = codes.flatMap((code): Block[] => {
    const [, from, to] = BLOCK.exec(code) ?? [];
    return from === undefined || to === undefined ? [] : [{ code, from, to }];
  });
  return (code) => {
    const own = BLOCK.exec(code);
    if (own === null) {
      for (let length = code.length - 1; length > 0; length -= 1) {
        const prefix = code.slice(0, length);
        if (known.has(prefix)) return prefix;
      }
    }
    const [from, to] = own === null ? [code.slice(0, 3), code.slice(0, 3)] : [own[1] ?? '', own[2] ?? ''];
    return narrowest(blocks.filter((block) => block.code !== code && block.from <= from && block.to >= to));
  };
}

/** Of blocks around the same code the narrowest begins last, or ends first. */
function narrowest(blocks: readonly Block[]): string | undefined {
  return blocks.reduce<Block | undefined>((best, each) => {
    if (best === undefined || each.from > best.from) return each;
    return each.from === best.from && each.to < best.to ? each : best;
  }, undefined)?.code;
}
