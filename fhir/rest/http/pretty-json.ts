// JSON text with line breaks and indentation; everything between them stays as written (`_pretty`).

/** UTF-16 units. Nobody reads more than this on a screen, and laying it out would hold up others. */
const MAX_PRETTY = 256 * 1024;
/** Deeper levels are indented like this one: the text would grow by hundreds of spaces for each value. */
const MAX_INDENTED = 32;

/** Indents valid JSON text by two spaces for each level; a longer text is answered as it is. */
export function prettyJson(text: string): string {
  if (text.length > MAX_PRETTY) return text;
  let result = '';
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '"') {
      const end = endOfString(text, index);
      result += text.slice(index, end);
      index = end - 1;
    } else if (character === '{' || character === '[') {
      const next = nextVisible(text, index + 1);
      const isEmpty = text[next] === '}' || text[next] === ']';
      if (isEmpty) {
        result += character + text[next];
        index = next;
      } else {
        depth += 1;
        result += character + lineBreak(depth);
      }
    } else if (character === '}' || character === ']') {
      depth -= 1;
      result += lineBreak(depth) + character;
    } else if (character === ',') result += character + lineBreak(depth);
    else if (character === ':') result += ': ';
    else if (!isSpace(character)) result += character;
  }
  return result;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

function nextVisible(text: string, start: number): number {
  let index = start;
  while (isSpace(text[index] ?? '')) index += 1;
  return index;
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, MAX_INDENTED))}`;
}
