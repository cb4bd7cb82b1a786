// Codes for new passwords without a running service: for the command `kedja users reset-password`.
import { createAudit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createResetCodes } from './service.ts';

/** `database` has identity's schema, migrated. No mail is sent. */
export function openResetCodes({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  const audit = createAudit({ database, clock, service: 'identity' });
  return createResetCodes({ database, clock, audit, mailer: undefined });
}
