// Starts the load generator and runs its rounds: one process beside the one that is measured, used for all rounds.
import { fork } from 'node:child_process';
import path from 'node:path';
import type { LoadJob, LoadResult } from './generator.ts';

export type { LoadJob, LoadResult } from './generator.ts';

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

/** A request to be sent; a GET when there is no text and no other method is named. */
export interface SentRequest {
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** A request as it goes over the wire; a text is JSON unless its headers say otherwise. */
export function requestText({ target, method, headers = {}, text }: SentRequest): string {
  const ofText =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  const lines = Object.entries({ host: 'localhost', ...ofText, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`${method ?? (text === undefined ? 'GET' : 'POST')} ${target} HTTP/1.1`, ...lines, '', text ?? ''].join(
    '\r\n',
  );
}
