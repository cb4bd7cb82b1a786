// The deployment's time zone (docs/adr/0037) from its setting to its effects. Its effects are the days on which a
// consent begins and ends, and the times on a page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { pageVisits } from '../testing/page-visits.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

/**
 * At noon of 15 June in UTC, the time of all benches, it is the 16th in the first zone. In the second it is the 15th
 * for six hours more.
 */
const zones = ['Pacific/Kiritimati', 'America/Chicago'];
const [first, second] = await Promise.all(zones.map((timeZone) => createSendingBench({ after }, { timeZone })));
assert.ok(first !== undefined && second !== undefined);

async function pushed(bench: typeof first, period: object): Promise<number> {
  assert.ok(bench !== undefined);
  const { id, patientGuid } = await bench.request([newGuid()], 'none');
  const subject = { reference: `Patient/${patientGuid}` };
  await bench.put({ resourceType: 'Consent', id: newGuid(), status: 'active', decision: 'permit', subject, period });
  return (await bench.call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, {})).status;
}

test('a consent begins and ends with the days of the configured time zone', async () => {
  assert.deepEqual(
    [await pushed(first, { start: '2026-06-16' }), await pushed(second, { start: '2026-06-16' })],
    [202, 403],
  );
  assert.deepEqual(
    [await pushed(first, { end: '2026-06-15' }), await pushed(second, { end: '2026-06-15' })],
    [403, 202],
  );
  const instant = { start: '2026-06-15T12:00:00Z', end: '2026-06-15T12:00:00Z' };
  assert.deepEqual(
    [await pushed(first, instant), await pushed(second, instant)],
    [202, 202],
    'an instant is the same everywhere',
  );
});

test('the receipt page shows times in the configured time zone, and names it', async () => {
  const shown = await Promise.all(
    [first, second].map(async (bench) => {
      const { linked, post } = pageVisits(bench);
      const { tokens } = await linked(1, { respond_by: '2026-06-16T12:00:00Z' });
      return (await post({ token: tokens[0]!, lang: 'en' })).text;
    }),
  );
  assert.match(String(shown[0]), /<dd>17 June 2026 at 02:00 GMT\+14<\/dd>/);
  assert.match(String(shown[1]), /<dd>16 June 2026 at 07:00 (?:CDT|GMT-5)<\/dd>/);
});
