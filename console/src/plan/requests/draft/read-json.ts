// Reads JSON that somebody types: the object, or what is wrong with the text and in which line.

export type ReadJson =
  | { readonly value: object }
  /** The line is undefined where the browser does not say it. */
  | { readonly issue: 'syntax' | 'syntaxAt' | 'notObject'; readonly line: number | undefined };

export function readJson(text: string): ReadJson {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value } : { issue: 'notObject', line: undefined };
  } catch (error) {
    const line = lineOf(error instanceof Error ? error.message : '', text);
    return { issue: line === undefined ? 'syntax' : 'syntaxAt', line };
  }
}

/** Browsers name the line, the position, or say that the text ends too early. */
function lineOf(message: string, text: string): number | undefined {
  const named = /line (\d+)/.exec(message)?.[1];
  if (named !== undefined) return Number(named);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return text.slice(0, Number(position)).split('\n').length;
  return /end/.test(message) ? text.split('\n').length : undefined;
}
