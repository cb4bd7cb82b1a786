// The logger of one request: what it says carries the request's id. Most requests say nothing themselves, so a logger
// of their own is made when the first of them does.
import type { FastifyBaseLogger } from 'fastify';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
type Entry = readonly [unknown, ...unknown[]];
type Bindings = Record<string, unknown>;

class RequestLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings | undefined;
  #own: FastifyBaseLogger | undefined;

  /** Without bindings it is the parent itself. */
  constructor(parent: FastifyBaseLogger, bindings?: Bindings) {
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

  /** How errors and the like are written down is the parent's to say: options are not taken. */
  child(bindings: Bindings): FastifyBaseLogger {
    return new RequestLogger(this, bindings);
  }

  #write(level: Level, entry: Entry): void {
    const own = this.#materialised();
    Reflect.apply(own[level], own, entry);
  }

  #materialised(): FastifyBaseLogger {
    this.#own ??= this.#make();
    return this.#own;
  }

  #make(): FastifyBaseLogger {
    const parent = this.#parent instanceof RequestLogger ? this.#parent.#materialised() : this.#parent;
    return this.#bindings === undefined ? parent : parent.child(this.#bindings);
  }
}

/** The logger, whose children are made on first use; Fastify makes one for each request. */
export function withLazyChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  return new RequestLogger(logger);
}
