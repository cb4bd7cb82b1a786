// What a search leaves out of its includes is reported (hl7.org/fhir/R5/search.html#entrymode).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation', 'Organization']);

test('more than 1,000 included resources are cut, and the last entry says so', async () => {
  await call('PUT', '/Patient/many', { body: { resourceType: 'Patient', id: 'many' } });
  const observation = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: 'Patient/many' },
  };
  const make = (count: number) => {
    const entry = Array.from({ length: count }, () => ({
      resource: observation,
      request: { method: 'POST', url: 'Observation' },
    }));
    return call('POST', '/', { body: { resourceType: 'Bundle', type: 'transaction', entry } });
  };
  assert.equal((await make(1000)).status, 200);
  const modes = async (path: string) => {
    const { body } = await call('GET', path);
    assert.deepEqual(validateResource(body), []);
    const found = body.entry.map(({ search }: { search: { mode: string } }) => search.mode);
    return {
      body,
      counts: ['match', 'include', 'outcome'].map((mode) => found.filter((each: string) => each === mode).length),
    };
  };
  const asked = '/Patient?_id=many&_revinclude=Observation:subject';
  assert.deepEqual((await modes(asked)).counts, [1, 1000, 0]);
  await make(1);
  for (const path of [asked, `/?_type=Patient&_id=many&_revinclude=Observation:subject`]) {
    const { body, counts } = await modes(path);
    assert.deepEqual(counts, [1, 1000, 1], path);
    assert.equal(body.entry.at(-1).resource.issue[0].code, 'incomplete');
    assert.equal(body.entry.at(-1).resource.issue[0].severity, 'warning');
  }
});

test(':iterate follows sixteen references one after the other; when there is one more, the last entry says so', async () => {
  const ids = Array.from({ length: 18 }, (_, place) => `part${place}`);
  for (const [place, id] of ids.entries()) {
    const next = ids[place + 1];
    const partOf = next === undefined ? {} : { partOf: { reference: `Organization/${next}` } };
    await call('PUT', `/Organization/${id}`, { body: { resourceType: 'Organization', id, name: id, ...partOf } });
  }
  const found = async (from: string) => {
    const { body } = await call('GET', `/Organization?_id=${from}&_include:iterate=Organization:partof`);
    assert.deepEqual(validateResource(body), []);
    return body.entry.map(
      ({ resource }: { resource: { id: string; issue?: { code: string; diagnostics: string }[] } }) =>
        resource.issue === undefined ? resource.id : resource.issue[0]?.code,
    );
  };
  assert.deepEqual(await found('part0'), [...ids.slice(0, 17), 'incomplete']);
  assert.deepEqual(await found('part1'), ids.slice(1));
});
