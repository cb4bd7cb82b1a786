// A probe on its own thread. It keeps sending cheap requests, each on its own connection, so that neither the test's
// thread nor a busy connection delays it.
import { Agent, get } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface ProbeTarget {
  readonly url: string;
  readonly token?: string;
}

export interface ProbeReport {
  /** The number of responses with status 200. */
  readonly answered: number;
  /** All other outcomes, each once. */
  readonly failures: readonly string[];
  /** Wall time: for people, not for assertions. */
  readonly longestMs: number;
}

export interface Probe {
  /** The outcomes since the last report. Waits for one more response of each target. */
  report(): Promise<ProbeReport>;
  stop(): Promise<void>;
}

/** Between two requests to one target, unless a report waits for them: each costs both processes a millisecond. */
const PAUSE_MS = 100;
const POLL_MS = 5;

export function startProbe(targets: readonly ProbeTarget[]): Probe {
  const worker = new Worker(new URL(import.meta.url), { workerData: { targets } });
  return {
    report: () =>
      new Promise((resolve, reject) => {
        worker.once('error', reject);
        worker.once('message', (report: ProbeReport) => {
          worker.off('error', reject);
          resolve(report);
        });
        worker.postMessage('report');
      }),
    stop: async () => void (await worker.terminate()),
  };
}

function runProbe(targets: readonly ProbeTarget[], port: NonNullable<typeof parentPort>): void {
  let seen = { answered: 0, failures: new Set<string>(), longestMs: 0 };
  let rounds = targets.map(() => 0);
  let isReportWaiting = false;
  /** Each ends the pause of a target. */
  const pauses = new Set<() => void>();

  async function ask(target: ProbeTarget, index: number, agent: Agent): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      const outcome = await askOnce(target, agent);
      if (outcome === '200') seen.answered += 1;
      else seen.failures.add(`${target.url}: ${outcome}`);
      seen.longestMs = Math.max(seen.longestMs, performance.now() - startedAt);
      rounds[index] = (rounds[index] ?? 0) + 1;
      if (!isReportWaiting || !isOpen(rounds[index])) await pause();
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, PAUSE_MS);
      pauses.add(end);
    });
  }

  async function waitForNextRound(): Promise<void> {
    rounds = targets.map(() => 0);
    isReportWaiting = true;
    for (const end of [...pauses]) end();
    while (rounds.some(isOpen)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    isReportWaiting = false;
  }

  for (const [index, target] of targets.entries())
    void ask(target, index, new Agent({ keepAlive: true, maxSockets: 1 }));
  port.on('message', () => {
    void waitForNextRound().then(() => {
      port.postMessage({ ...seen, failures: [...seen.failures] } satisfies ProbeReport);
      seen = { answered: 0, failures: new Set(), longestMs: 0 };
    });
  });
}

/** Whether a target has yet to answer: its first response may belong to an earlier request. */
function isOpen(responses = 0): boolean {
  return responses < 2;
}

function askOnce({ url, token }: ProbeTarget, agent: Agent): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    get(url, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.statusCode)));
      response.on('error', (error) => resolve(error.message));
    }).on('error', (error) => resolve(error.message));
  });
}

if (!isMainThread && parentPort !== null) runProbe(workerData.targets, parentPort);
