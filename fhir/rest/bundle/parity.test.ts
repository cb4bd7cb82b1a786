// An entry of a batch is answered as the single request is (hl7.org/fhir/R5/http.html#batch): the same status, headers,
// body and errors.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation', 'Basic']);
const identifier = [{ system: 'urn:p', value: 'there' }];
await call('PUT', '/Patient/there', { body: { resourceType: 'Patient', id: 'there', identifier, active: true } });
await call('PUT', '/Patient/gone', { body: { resourceType: 'Patient', id: 'gone' } });
await call('DELETE', '/Patient/gone');
for (const id of ['twin-1', 'twin-2'])
  await call('PUT', `/Patient/${id}`, { body: { resourceType: 'Patient', id, name: [{ family: 'Twin' }] } });
const weight = {
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'w' },
  subject: { reference: 'Patient/there' },
};
await call('PUT', '/Observation/weight', { body: { ...weight, id: 'weight' } });

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const HEADERS = {
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
  ifNoneExist: 'if-none-exist',
  ifModifiedSince: 'if-modified-since',
};
type Conditions = Partial<Record<keyof typeof HEADERS, string>>;

const patient = (more: object = {}) => ({ resourceType: 'Patient', ...more });
const labels = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] };
const about = (reference: string, more: object = {}) => ({ ...weight, subject: { reference }, ...more });
const REQUESTS: readonly (readonly [
  method: Method,
  url: string,
  resource?: object | undefined,
  conditions?: Conditions,
])[] = [
  ['GET', 'Patient/there'],
  ['GET', 'Patient/there?_elements=active'],
  ['GET', 'Patient/there', undefined, { ifNoneMatch: 'W/"1", "7"' }],
  ['GET', 'Patient/there', undefined, { ifModifiedSince: 'Fri, 01 Jan 2100 00:00:00 GMT' }],
  ['GET', 'Patient/there/_history/1'],
  ['GET', 'Patient/there/_history/9'],
  ['GET', 'Patient/there/_history?_count=1'],
  ['GET', 'Patient/_history?_type=x&_sort=nonsense'],
  ['GET', 'Patient/gone'],
  ['GET', 'Patient/never'],
  ['GET', 'Patient/no_id'],
  ['GET', 'Patient?identifier=urn:p|there&_summary=count'],
  ['GET', 'Patient?birthdate=nonsense'],
  ['GET', 'Patient?name=%ff'],
  ['GET', 'Patient/there/Observation?status=final'],
  ['GET', 'Patient/there/Practitioner'],
  ['POST', 'Patient', patient({ active: true })],
  ['POST', 'Patient', patient({ gender: 'nonsense' })],
  ['POST', 'Patient', patient({ id: 'theirs' })],
  ['POST', 'Patient', patient(), { ifNoneExist: 'identifier=urn:p|there' }],
  ['POST', 'Patient', patient(), { ifNoneExist: 'family=twin' }],
  ['POST', 'Patient', patient(), { ifNoneExist: 'nonsense=1' }],
  ['POST', 'Patient', { resourceType: 'Basic', code: { text: 'x' } }],
  ['PUT', 'Patient/there', patient({ id: 'there', identifier }), { ifMatch: 'W/"7"' }],
  ['PUT', 'Patient/there', patient({ id: 'another' })],
  ['PUT', 'Patient/there', patient()],
  ['PUT', 'Patient/no_id', patient({ id: 'no_id' })],
  ['PUT', 'Patient/there', patient({ id: 'there', identifier }), { ifNoneMatch: '*' }],
  ['PUT', 'Patient?family=twin', patient()],
  ['PUT', 'Patient', patient()],
  ['PUT', 'Patient?identifier=urn:p|there', patient({ id: 'another' })],
  ['DELETE', 'Patient/never'],
  ['DELETE', 'Patient/gone', undefined, { ifMatch: 'W/"1"' }],
  ['DELETE', 'Patient?family=twin'],
  ['DELETE', 'Patient?identifier=urn:p|nobody'],
  ['POST', 'Observation', about('Patient?identifier=urn:p|there')],
  ['POST', 'Observation', about('https://example.org/api/v1/Patient?identifier=urn:p|there')],
  ['POST', 'Observation', about('Patient?family=twin')],
  ['POST', 'Observation', about('Patient?family=nobody')],
  ['POST', 'Observation', about('Patient?nonsense=1')],
  ['POST', 'Observation', about('Patient?_count=1')],
  ['POST', 'Observation', about('Practitioner?name=x')],
  ['POST', 'Observation', about('Patient?family=nobody'), { ifNoneExist: 'code:text=w' }],
  ['PUT', 'Observation/weight', about('Patient?family=twin', { id: 'weight' })],
  ['POST', '$validate', about('Patient?family=nobody')],
  ['POST', '$validate', about('Patient?identifier=urn:p|there')],
  ['POST', 'Patient/$validate', patient({ gender: 'nonsense' })],
  ['POST', 'Patient/there/$validate?mode=delete'],
  ['GET', 'Patient/there/$validate'],
  ['GET', 'Patient/gone/$validate'],
  ['GET', 'Patient/there/$everything?_count=1'],
  ['GET', 'Patient/there/$everything?start=nonsense'],
  [
    'POST',
    'Patient/there/$everything',
    { resourceType: 'Parameters', parameter: [{ name: '_count', valueInteger: 1 }] },
  ],
  ['POST', 'Patient/there/$everything', patient()],
  ['GET', 'Patient/never/$everything'],
  ['GET', 'Patient/there/$meta'],
  ['POST', 'Patient/there/$meta-add', labels],
  ['POST', 'Patient/there/$meta-delete', labels],
  ['POST', 'Patient/there/$meta-add', patient()],
  ['POST', 'Patient/there/$meta-add'],
  ['GET', '_history?_count=1&_type=Observation'],
  ['GET', '_history?_sort=nonsense'],
  ['GET', '?_type=Patient&family=twin'],
  ['GET', '?_type=Nonsense'],
];

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
function comparable(value: any): unknown {
  const text = JSON.stringify(value ?? null);
  return JSON.parse(
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'guid').replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"time"'),
  );
}

for (const [method, url, resource, conditions = {}] of REQUESTS) {
  test(`${method} ${url} ${JSON.stringify(conditions)}`, async () => {
    const headers = Object.fromEntries(
      Object.entries(HEADERS).flatMap(([name, header]) => {
        const value = conditions[name as keyof Conditions];
        return value === undefined ? [] : [[header, value]];
      }),
    );
    const single = await call(method, `/${url}`, { headers, ...(resource === undefined ? {} : { body: resource }) });
    const entry = [{ ...(resource === undefined ? {} : { resource }), request: { method, url, ...conditions } }];
    const { body } = await call('POST', '/', { body: { resourceType: 'Bundle', type: 'batch', entry } });
    const { response, resource: answered } = body.entry[0];
    assert.equal(Number(response.status.slice(0, 3)), single.status, `${JSON.stringify(response)} ${single.text}`);
    assert.equal(response.etag, single.headers['etag']);
    const location = single.headers['location'] ?? single.headers['content-location'];
    assert.deepEqual(comparable(response.location), comparable(location));
    assert.deepEqual(comparable(answered ?? response.outcome), comparable(single.body));
  });
}
