// The destination of log lines in production: lines of one turn of the event loop are written by one system call. A
// crash could lose the lines of its turn, which `flushSync` saves.
import pino, { type DestinationStream } from 'pino';

export interface TickDestination extends DestinationStream {
  flushSync(): void;
}

/** Writes lines to a file, which is created with its folder, or to standard output. */
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
