import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isUniqueViolation } from '#lib/db/failure.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { migrations } from '../migrations.ts';
import {
  findMatch,
  findMatchOfRequest,
  insertMatches,
  listMatches,
  type NewMatch,
  updateMatch,
} from './match-store.ts';
import { findServiceRequest, insertServiceRequest, updateServiceRequest } from './service-request-store.ts';

const now = new Date('2026-01-01T10:00:00Z');
const database = (await createTestDatabase({ after }, { schemas: [{ schema: 'dispatch', migrations }] })).database(
  'dispatch',
);

async function makeServiceRequest(): Promise<string> {
  const id = newGuid();
  const guids = { organisationGuid: newGuid(), patientGuid: newGuid(), careplanGuid: newGuid() };
  await insertServiceRequest(database, { id, ...guids, snapshot: '{}', now });
  return id;
}

function makeMatch(contractGuid = newGuid()): NewMatch {
  return {
    matchGuid: newGuid(),
    providerGuid: newGuid(),
    providerName: 'Vårdgivare',
    contractGuid,
    providerOrganisationGuid: undefined,
  };
}

test('concurrent matching creates one match for each contract', async () => {
  const id = await makeServiceRequest();
  const contracts = [newGuid(), newGuid()];
  await Promise.all(
    Array.from({ length: 50 }, () =>
      database.transaction((transaction) =>
        insertMatches(
          transaction,
          id,
          contracts.map((contract) => makeMatch(contract)),
          now,
        ),
      ),
    ),
  );
  const matches = await listMatches(database, id);
  assert.deepEqual(new Set(matches.map((match) => match.contractGuid)), new Set(contracts));
  assert.equal(matches.length, 2);
});

test('a match is read back as it was written, by its guid, its request and its ServiceRequest', async () => {
  const id = await makeServiceRequest();
  const fresh = makeMatch();
  await insertMatches(database, id, [fresh], now);
  const [match] = await listMatches(database, id);
  assert.ok(match);
  assert.deepEqual([match.status, match.progress, match.providerName], ['pending', 'none', 'Vårdgivare']);
  const requestGuid = newGuid();
  const later = new Date('2026-01-02T10:00:00Z');
  const changed = await updateMatch(
    database,
    match,
    {
      status: 'accepted',
      requestGuid,
      pushedAt: now,
      respondedAt: later,
      progress: 'in_progress',
      progressAt: later,
      progressNote: 'on the way',
      results: ['https://example.org/Observation/1'],
      respondBy: later,
      blockedReason: 'was blocked once',
    },
    later,
  );
  assert.deepEqual(await findMatch(database, fresh.matchGuid), changed);
  assert.deepEqual(await findMatchOfRequest(database, requestGuid), changed);
  assert.equal(await findMatch(database, newGuid()), undefined);
});

test('the database itself refuses a second exclusive acceptance and a pushed match without a request', async () => {
  const id = await makeServiceRequest();
  await insertMatches(database, id, [makeMatch(), makeMatch()], now);
  const [one, two] = await listMatches(database, id);
  assert.ok(one && two);
  const accepted = { status: 'accepted', isExclusive: true, pushedAt: now } as const;
  await updateMatch(database, one, { ...accepted, requestGuid: newGuid() }, now);
  await assert.rejects(updateMatch(database, two, { ...accepted, requestGuid: newGuid() }, now), (error) =>
    isUniqueViolation(error, 'match_first_accepted'),
  );
  await assert.rejects(updateMatch(database, two, { status: 'pushed' }, now), /violates check constraint/);
});

test('a ServiceRequest row is read back as it was written', async () => {
  const id = await makeServiceRequest();
  const record = await findServiceRequest(database, id);
  assert.ok(record);
  assert.deepEqual([record.status, record.selection, record.snapshotVersion], ['draft', 'all', 1]);
  const changes = {
    status: 'revoked',
    archivedAt: now,
    selection: 'first',
    snapshot: '{"a":1.0}',
    snapshotVersion: 2,
    finalizedAt: now,
    revokeReason: 'no longer needed',
  } as const;
  const changed = await updateServiceRequest(database, record, changes, now);
  assert.deepEqual(await findServiceRequest(database, id), changed);
  assert.equal(await findServiceRequest(database, newGuid()), undefined);
});
