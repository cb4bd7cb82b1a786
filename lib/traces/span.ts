// One span: a timed step of a recorded trace. It becomes the JSON text of OTLP when it ends
// (opentelemetry.io/docs/specs/otlp, encoding JSON), so that the exporter only joins texts.
import { randomHex } from '../random-pool.ts';

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Readonly<Record<string, string | number>>;

/** Takes the JSON text of a span that has ended. */
export type TakeSpan = (text: string) => void;

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Attributes;
  /** A span of another request whose work this one shares. */
  readonly link?: Span | undefined;
}

export interface SpanEnd {
  readonly name?: string;
  readonly attributes?: Attributes;
  /** A class of errors such as a code, never a message. */
  readonly error?: string | undefined;
}

interface Origin {
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly state: string | undefined;
  readonly take: TakeSpan;
}

interface Root {
  /** Of the system, in milliseconds, when the process's own clock showed `at`. */
  readonly time: number;
  readonly at: number;
  /** How many more spans this request may have. */
  left: number;
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const ERROR = 2;
/** A request with thousands of statements is no trace that anybody reads. */
const MAX_SPANS = 256;
const MAX_TEXT = 256;

export class Span {
  /** 16 hex digits. */
  readonly id = randomHex(16);
  readonly traceId: string;
  readonly #origin: Origin;
  readonly #root: Root;
  readonly #start: SpanStart;
  readonly #startedAt: number;
  #isEnded = false;

  private constructor(origin: Origin, root: Root, start: SpanStart) {
    this.traceId = origin.traceId;
    this.#origin = origin;
    this.#root = root;
    this.#start = start;
    this.#startedAt = performance.now();
  }

  /** The first span of a trace in this process. */
  static begin(origin: Origin, start: SpanStart): Span {
    return new Span(origin, { time: Date.now(), at: performance.now(), left: MAX_SPANS - 1 }, start);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** A step of this one; undefined when the request has too many. */
  child(start: SpanStart): Span | undefined {
    if (this.#root.left <= 0) return undefined;
    this.#root.left -= 1;
    return new Span({ ...this.#origin, parentId: this.id }, this.#root, start);
  }

  /** Ends it now; only the first call counts. */
  end({ name, attributes, error }: SpanEnd = {}): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { traceId, parentId, state, take } = this.#origin;
    const { link } = this.#start;
    const failed = error === undefined ? {} : { 'error.type': error };
    const fields = {
      traceId,
      spanId: this.id,
      parentSpanId: parentId,
      traceState: state,
      flags: 1,
      name: clipped(name ?? this.#start.name),
      kind: KINDS[this.#start.kind],
      startTimeUnixNano: this.#nanoseconds(this.#startedAt),
      endTimeUnixNano: this.#nanoseconds(performance.now()),
      attributes: toAttributes({ ...this.#start.attributes, ...attributes, ...failed }),
      links: link === undefined ? undefined : [{ traceId: link.traceId, spanId: link.id }],
      status: error === undefined ? undefined : { code: ERROR },
    };
    take(JSON.stringify(fields));
  }

  /** Nanoseconds since 1970 as decimal digits, because they are no exact number. */
  #nanoseconds(at: number): string {
    const time = this.#root.time + at - this.#root.at;
    const whole = Math.floor(time);
    return `${whole}${String(Math.floor((time - whole) * 1e6)).padStart(6, '0')}`;
  }
}

/** Attributes in the form of OTLP. */
export function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: clipped(value) },
  }));
}

function clipped(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
}
