// A background loop for work that may fall behind: its steps are throttled by the load of the machine (./throttle.ts).
import { createThrottle } from './throttle.ts';
import { createWorkerLoop, type WorkerLoop, type WorkerLoopOptions } from './worker-loop.ts';

export interface ThrottledLoop extends WorkerLoop {
  /** Does one step now, without a rest; true when there is more to do now. */
  step(): Promise<boolean>;
}

export interface ThrottledLoopOptions extends Pick<WorkerLoopOptions, 'name' | 'intervalMs' | 'log'> {
  readonly step: () => Promise<boolean>;
}

export function createThrottledLoop({ step, ...options }: ThrottledLoopOptions): ThrottledLoop {
  const throttle = createThrottle();
  return { ...createWorkerLoop({ ...options, step: (signal) => throttle.run(step, signal) }), step };
}
