// A fast writer of log lines that differ in few fields, such as the line of each request. The common part is serialized
// once, and pino's serialization of each field is skipped. The lines have pino's format and go to the same destination.
import pino, { type DestinationStream, type Logger } from 'pino';

/**
 * How the logger begins lines of a level, the time, its bindings, and where it writes (pino's docs/api.md,
 * "pino.symbols").
 */
interface Parts {
  readonly begin: string;
  readonly timeOf: () => string;
  readonly bindings: string;
  readonly stream: DestinationStream;
}

function partsOf(logger: Logger, level: 'debug' | 'info'): Parts {
  const { lsCacheSym, timeSym, chindingsSym, streamSym } = pino.symbols;
  const [beginnings, timeOf, bindings, stream] = [lsCacheSym, timeSym, chindingsSym, streamSym].map((symbol): unknown =>
    Reflect.get(logger, symbol),
  );
  const begin = (beginnings as Readonly<Record<number, string>>)[pino.levels.values[level] ?? 0] ?? '{';
  return {
    begin,
    timeOf: timeOf as Parts['timeOf'],
    bindings: bindings as string,
    stream: stream as DestinationStream,
  };
}

/**
 * Writes lines with the logger's bindings and `fields`. They are JSON members with a comma before each (`,"ms":12`),
 * whose values are serialized by the caller and hold no secrets. Nothing happens where the logger does not write the
 * level.
 */
export function createLineWriter(logger: Logger, level: 'debug' | 'info'): (fields: string) => void {
  if (!logger.isLevelEnabled(level)) return () => undefined;
  const { begin, timeOf, bindings, stream } = partsOf(logger, level);
  return (fields) => stream.write(`${begin}${timeOf()}${bindings}${fields}}\n`);
}
