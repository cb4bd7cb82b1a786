// The patient reads who has seen and changed their data at all services, in words. So does a privacy officer, whose
// access is in the log (decision L4).
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Accounts, Addresses, Story } from '../context.ts';
import { untilStatus, userOf } from '../people.ts';

interface Row {
  readonly who: { readonly name: string | null; readonly role: string; readonly unit: string | null };
  readonly what: string;
  readonly why: string | null;
  readonly outcome: string;
}

export function patientReadsTheAccessLog({ addresses, accounts, walk }: Story): Promise<void> {
  return walk('P8', () => theAccessLogTellsEverything(addresses, accounts));
}

async function theAccessLogTellsEverything(addresses: Addresses, accounts: Accounts): Promise<void> {
  const url = `${addresses.engine}/access-log`;
  const rowsOf = async (token: string, query = ''): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
      const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await call(`${url}?per_page=200&lang=sv${query}${after}`, { token });
      rows.push(...body.data);
      cursor = body.next_cursor;
    }
    return rows;
  };
  const rows = await eventually('the log listed the push and the refusal', async () => {
    const all = await rowsOf(accounts.patient);
    const isThere = all.some(({ what }) => what === 'Skickade ett uppdrag till vårdgivare');
    return isThere && all.some(({ outcome }) => outcome === 'refused') ? all : undefined;
  });
  const push = rows.find(({ what }) => what === 'Skickade ett uppdrag till vårdgivare');
  assert.deepEqual([push?.who, push?.why], [{ name: 'Karin Lind', role: 'läkare', unit: 'Region Norr' }, 'request']);
  assert.ok(rows.some(({ what }) => what === 'Registrerade ett konto'));
  assert.ok(rows.some(({ what, who }) => what === 'Tackade ja till ett uppdrag' && who.role === 'vårdgivare'));
  const ofUnit = await rowsOf(accounts.patient, '&unit=region%20syd');
  assert.ok(ofUnit.length > 0 && ofUnit.every(({ who }) => who.unit === 'Region Syd'));
  await aPrivacyOfficerReads(addresses, accounts);
  const page = await call(`${url}/export?format=html&lang=sv`, { token: accounts.patient });
  assert.match(page.text, /<h1>Åtkomstlogg<\/h1>/);
  const csv = await call(`${url}/export?format=csv&lang=sv`, { token: accounts.patient });
  assert.match(csv.text, /,Karin Lind,läkare,Region Norr,Skickade ett uppdrag till vårdgivare,uppdrag,genomfört\r\n/);
}

async function aPrivacyOfficerReads(addresses: Addresses, accounts: Accounts): Promise<void> {
  const { identity, engine } = addresses;
  const { admin, stranger, patient, patientGuid } = accounts;
  const url = `${engine}/access-log?patient=${patientGuid}&lang=sv`;
  await call(url, { token: stranger, expect: 403 });
  const user = `${identity}/api/admin/users/${await userOf(addresses, stranger)}`;
  const give = (is_privacy_officer: boolean) =>
    call(user, { method: 'PATCH', token: admin, json: { is_privacy_officer } });
  await give(true);
  await untilStatus(200, url, { token: stranger });
  await give(false);
  await untilStatus(403, url, { token: stranger });
  await eventually('the access was in the log', async () => {
    const { data } = (await call(`${engine}/access-log?per_page=200&lang=sv`, { token: patient })).body;
    return data.some(({ who }: Row) => who.role === 'loggranskare') || undefined;
  });
}
