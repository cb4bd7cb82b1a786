// For whom a patient may act as a proxy, as SQL on the user `u`, and in the form of the access blob (docs/adr/0074).
import { LINKED_RECORDS, type LinkedRecordRow, linkedRecordsOf } from '../shared/linked-records.ts';

export interface ProxyGrantRow {
  patient_guid: string;
  may: 'read' | 'act';
  linked: LinkedRecordRow[] | null;
}

/** Of one person the first this many count. */
const MAX_GRANTS = 50;

/**
 * A JSON array of `ProxyGrantRow` of what is in force at the moment `now`. Of two rights for one patient the greater
 * one comes first. The rights of the patient's own proxies are not among them: nobody is a proxy's proxy.
 */
export function proxyGrants(now: string): string {
  return `(SELECT json_agg(json_build_object('patient_guid', g.patient_guid, 'may', g.may, 'linked', g.linked))
    FROM (SELECT DISTINCT ON (t.patient_guid) t.patient_guid, x.may, ${LINKED_RECORDS} AS linked
      FROM patient d JOIN patient_proxy x ON x.delegate_guid = d.patient_guid JOIN patient t ON t.patient_guid = x.patient_guid
      WHERE d.user_guid = u.user_guid AND x.status = 'active' AND x.ends_at > ${now}
      ORDER BY t.patient_guid, x.may LIMIT ${MAX_GRANTS}) g)`;
}

/** The member `proxy_for` of the access blob; none where there is nobody. */
export function proxyGrantsOf(rows: readonly ProxyGrantRow[] | null) {
  if (rows === null || rows.length === 0) return {};
  return { proxy_for: rows.map(({ linked, ...grant }) => ({ ...grant, ...linkedRecordsOf(linked) })) };
}
