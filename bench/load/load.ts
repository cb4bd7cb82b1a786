// The load generator as benchmarks use it: one process beside the one that is measured, kept for all rounds.
import { fork } from 'node:child_process';
import path from 'node:path';
import type { LoadJob, LoadResult } from './generator.ts';

export type { LoadResult } from './generator.ts';

export interface LoadGenerator {
  /** @throws Error when a connection breaks */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(path.join(import.meta.dirname, 'generator.ts'));
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        child.once('message', (answer: { result?: LoadResult; error?: string }) => {
          if (answer.result === undefined) reject(new Error(answer.error));
          else resolve(answer.result);
        });
        child.send(job);
      }),
    stop: () => void child.kill(),
  };
}

/** A request as it goes over the wire. */
export function requestText(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: Readonly<Record<string, unknown>>,
): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`, ...lines, '', text].join('\r\n');
}
