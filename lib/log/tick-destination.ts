// Where log lines go in production: written at once when little happens, and together, by one system call for each turn
// of the event loop, when many requests are answered in one. What a crash could lose is the turn in which it happens,
// and `flushSync` saves that.
import pino, { type DestinationStream } from 'pino';

export interface TickDestination extends DestinationStream {
  flushSync(): void;
}

/** Lines to a file, made with its folder when there is none, or to standard output. */
export function createTickDestination(file: string | undefined): TickDestination {
  const target = pino.destination({ ...(file === undefined ? {} : { dest: file }), mkdir: true, sync: true });
  let lines = '';
  const flush = () => {
    const written = lines;
    lines = '';
    if (written !== '') target.write(written);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
    flushSync: flush,
  };
}
