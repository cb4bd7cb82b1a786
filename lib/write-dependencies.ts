// What a service is given that changes data: each change has a time and commits with its audit event (decision G9).
import type { Audit } from './audit/audit.ts';
import type { Clock } from './clock.ts';
import type { Database } from './db/database.ts';

export interface WriteDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}
