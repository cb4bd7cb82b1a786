// What background work and the services behind it are given: a database, a clock, and a log for what they do unasked.
import type { Clock } from './clock.ts';
import type { Database } from './db/database.ts';
import type { Logger } from './log/logger.ts';

export interface WorkDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}
