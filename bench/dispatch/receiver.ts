// Starts and queries the receivers' process.
import { fork } from 'node:child_process';
import path from 'node:path';
import type { ReceiverAnswer, ReceiverJob } from './receiver-process.ts';

export interface Receivers {
  /** Answers every webhook with 204. */
  readonly url: string;
  readonly port: number;
  /** Takes every connection and never answers. */
  readonly silentUrl: string;
  /** How many webhooks have come in since the last `take`. */
  count(): Promise<number>;
  /** When the first byte of each webhook came in, by `webhook-id`, on the clock of `monotonicMs`; forgets them. */
  take(): Promise<ReadonlyMap<string, number>>;
  stop(): void;
}

export async function startReceivers(): Promise<Receivers> {
  const child = fork(path.join(import.meta.dirname, 'receiver-process.ts'), { serialization: 'advanced' });
  const ask = (job: ReceiverJob) =>
    new Promise<ReceiverAnswer>((resolve, reject) => {
      child.once('message', (answer: ReceiverAnswer) => resolve(answer));
      child.send(job, (error) => error && reject(error));
    });
  const { answeringPort = 0, silentPort = 0 } = await ask('start');
  return {
    url: `http://127.0.0.1:${answeringPort}/hook`,
    port: answeringPort,
    silentUrl: `http://127.0.0.1:${silentPort}/hook`,
    count: async () => (await ask('count')).count,
    take: async () => new Map((await ask('take')).arrivals),
    stop: () => void child.kill(),
  };
}
