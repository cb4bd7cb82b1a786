// The logger of one request: what it says carries the request's id. Most requests say nothing themselves, so a logger of their own is
// made when the first of them does.
import type { FastifyBaseLogger } from 'fastify';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
type Entry = readonly [unknown, ...unknown[]];

class RequestLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Record<string, unknown>;
  #own: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#parent.level;
  }

  trace(...entry: Entry): void {
    this.#write('trace', entry);
  }

  debug(...entry: Entry): void {
    this.#write('debug', entry);
  }

  info(...entry: Entry): void {
    this.#write('info', entry);
  }

  warn(...entry: Entry): void {
    this.#write('warn', entry);
  }

  error(...entry: Entry): void {
    this.#write('error', entry);
  }

  fatal(...entry: Entry): void {
    this.#write('fatal', entry);
  }

  silent(): void {
    // What is written at this level is written nowhere.
  }

  child(...settings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#child().child(...settings);
  }

  #write(level: Level, entry: Entry): void {
    const own = this.#child();
    Reflect.apply(own[level], own, entry);
  }

  #child(): FastifyBaseLogger {
    this.#own ??= this.#parent.child(this.#bindings);
    return this.#own;
  }
}

/** As `parent.child(bindings)`, made on first use. */
export function lazyChild(parent: FastifyBaseLogger, bindings: Record<string, unknown>): FastifyBaseLogger {
  return new RequestLogger(parent, bindings);
}
