// Sends spans to a collector by OTLP over HTTP, as JSON (opentelemetry.io/docs/specs/otlp; docs/adr/0132). Nothing
// waits for it: spans queue, and are dropped where the collector is away or too slow.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Logger } from '../log/logger.ts';
import { networkFailureOf } from '../net/failure-class.ts';
import { type Attributes, type TakeSpan, toAttributes } from './span.ts';

/** What became of spans: `rejected` by the collector, or `dropped` before it took them. */
export type SpanOutcome = 'sent' | 'rejected' | 'dropped';

export interface SpanSource {
  /** What the spans are of: `service.name` and others. */
  readonly resource: Attributes;
  readonly count: (outcome: SpanOutcome, spans: number) => void;
}

export interface TraceExporter {
  /** Returns the function that takes spans of one service. */
  source(source: SpanSource): TakeSpan;
  /** Sends what is queued, for at most two seconds, and drops the rest. */
  stop(): Promise<void>;
}

export interface TraceExporterOptions {
  /** The whole address, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** How long a span waits for others, in milliseconds; 5,000 when left out. */
  readonly intervalMs?: number;
  /** The pauses before an attempt is repeated, in milliseconds. */
  readonly pausesMs?: readonly number[];
}

interface Queued {
  readonly source: SpanSource;
  readonly text: string;
}

type Outcome =
  | { readonly kind: 'taken'; readonly rejected: number }
  | { readonly kind: 'failed'; readonly error: string; readonly isFinal: boolean };

const INTERVAL_MS = 5_000;
const BATCH = 512;
const MAX_QUEUED = 4_096;
const PAUSES_MS = [1_000, 2_000, 4_000];
const TIMEOUT_MS = 10_000;
const STOP_MS = 2_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** The statuses after which OTLP lets a client try again. */
const MAY_REPEAT: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function createTraceExporter(options: TraceExporterOptions): TraceExporter {
  const { log, intervalMs = INTERVAL_MS, pausesMs = PAUSES_MS } = options;
  const post = createPost(options);
  const stopping = new AbortController();
  let queue: Queued[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isAway = false;

  function plan(): void {
    if (sending !== undefined || stopping.signal.aborted) return;
    if (queue.length >= BATCH) send();
    else timer ??= setTimeout(send, intervalMs).unref();
  }

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendOne().finally(() => {
      sending = undefined;
      if (queue.length > 0) plan();
    });
  }

  async function sendOne(): Promise<void> {
    const batch = queue.slice(0, BATCH);
    queue = queue.slice(BATCH);
    settle(batch, await attempt(batch));
  }

  async function attempt(batch: readonly Queued[]): Promise<Outcome> {
    const body = toRequest(batch);
    for (const pause of pausesMs) {
      const outcome = await post.send(body);
      if (outcome.kind === 'taken' || outcome.isFinal || stopping.signal.aborted) return outcome;
      warnAway(outcome.error);
      // Ends early when the process stops.
      await delay(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
    return post.send(body);
  }

  function settle(batch: readonly Queued[], outcome: Outcome): void {
    if (outcome.kind === 'failed') {
      count(batch, 'dropped');
      warnAway(outcome.error);
      return;
    }
    if (isAway) log.info({ event: 'traces.sent-again' });
    isAway = false;
    // Nobody says which were rejected; their number is that of the last ones.
    const rejected = Math.min(outcome.rejected, batch.length);
    count(batch.slice(0, batch.length - rejected), 'sent');
    count(batch.slice(batch.length - rejected), 'rejected');
  }

  /** Once, until the collector is back. */
  function warnAway(error: string): void {
    if (!isAway) log.warn({ event: 'traces.not-sent', error });
    isAway = true;
  }

  return {
    source: (source) => (text) => {
      if (queue.length >= MAX_QUEUED || stopping.signal.aborted) return source.count('dropped', 1);
      queue.push({ source, text });
      plan();
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      const end = AbortSignal.timeout(STOP_MS);
      const drained = (async () => {
        await sending;
        while (queue.length > 0 && !end.aborted) await sendOne();
      })();
      await Promise.race([drained, new Promise((resolve) => end.addEventListener('abort', resolve, { once: true }))]);
      count(queue, 'dropped');
      queue = [];
      await post.close();
    },
  };
}

function count(batch: readonly Queued[], outcome: SpanOutcome): void {
  for (const { source } of batch) source.count(outcome, 1);
}

/** The body of an `ExportTraceServiceRequest`. */
function toRequest(batch: readonly Queued[]): string {
  const bySource = new Map<SpanSource, string[]>();
  for (const { source, text } of batch) {
    const texts = bySource.get(source);
    if (texts === undefined) bySource.set(source, [text]);
    else texts.push(text);
  }
  const parts = [...bySource].map(([{ resource }, texts]) => {
    const attributes = JSON.stringify(toAttributes(resource));
    return `{"resource":{"attributes":${attributes}},"scopeSpans":[{"scope":{"name":"kedja"},"spans":[${texts.join()}]}]}`;
  });
  return `{"resourceSpans":[${parts.join()}]}`;
}

function createPost({ url, headers }: Pick<TraceExporterOptions, 'url' | 'headers'>) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 1, connectTimeout: TIMEOUT_MS });

  async function send(body: string): Promise<Outcome> {
    try {
      const answer = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Kedja-Traces/1' },
        body,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await beginningOf(answer.body);
      const { statusCode: status } = answer;
      if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedOf(text) };
      return { kind: 'failed', error: `status ${status}`, isFinal: !MAY_REPEAT.has(status) };
    } catch (error) {
      return { kind: 'failed', error: networkFailureOf(error), isFinal: false };
    }
  }

  return { send, close: () => pool.destroy() };
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** How many spans the collector did not take, although it answered 200 (`partialSuccess`). */
function rejectedOf(text: string): number {
  try {
    const answer = JSON.parse(text) as { readonly partialSuccess?: { readonly rejectedSpans?: unknown } };
    const rejected = Number(answer.partialSuccess?.rejectedSpans ?? 0);
    return Number.isInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    // Some collectors answer nothing, or no JSON.
    return 0;
  }
}
