// Reads identity's audit events as an SU admin.
import assert from 'node:assert/strict';
import type { Identity } from './identity.ts';

type Headers = Readonly<Record<string, string>>;

export interface AuditItem {
  readonly audit_guid: string;
  readonly recorded_at: string;
  readonly event: string;
  readonly action: string;
  readonly outcome: string;
  readonly actor: {
    user_guid: string | null;
    email: string | null;
    service: string | null;
    operator: string | null;
    roles: string[];
  };
  readonly subject: { user_guid: string; email: string | null } | null;
  readonly patient_guid: string | null;
  readonly entities: string[];
  readonly address: string | null;
  readonly request_id: string | null;
  readonly detail: string | null;
}

export function createAuditReader({ app }: Identity, admin: Headers) {
  const audit = (query = '') => app.inject({ url: `/api/admin/audit${query}`, headers: admin });
  return {
    audit,
    /** Fails unless the response is a list. */
    async listed(query = ''): Promise<AuditItem[]> {
      const answer = await audit(query);
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json();
    },
  };
}
