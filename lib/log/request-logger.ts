// The logger of one request, whose lines carry the request id. Most requests log nothing themselves, so their child
// logger is created at its first use.
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
    // Lines of this level are dropped.
  }

  /** The parent decides on serializers, so options of a child are ignored. */
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

/** A logger whose children are created on first use. Fastify asks for one for each request. */
export function withLazyChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  return new RequestLogger(logger);
}
