// Links between the entries of a transaction, in every form that FHIR knows (hl7.org/fhir/R5/http.html#trules,
// bundle.html#references).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bundleOf, entryOf, weightOf as observation } from '#test/support/fhir/bundle.ts';
import { BASE, startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, [
  'Patient',
  'Observation',
  'Questionnaire',
  'QuestionnaireResponse',
  'DocumentReference',
  'Bundle',
]);
const URN = 'urn:uuid:019a0000-0000-4000-8000-0000000000';
const OTHER = 'https://other.example/fhir';
const entry = (method: string, url: string, resource: object, fullUrl?: string) =>
  entryOf(method, url, resource, { fullUrl });
async function send(entries: object[]) {
  const answer = await call('POST', '/', { body: bundleOf('transaction', entries) });
  assert.equal(answer.status, 200, answer.text);
  // biome-ignore lint/suspicious/noExplicitAny: resources of any type
  return answer.body.entry.map((each: { resource: any }) => each.resource);
}

test('a reference to a version becomes one to the version that the entry makes', async () => {
  await call('PUT', '/Patient/there', { body: { resourceType: 'Patient', id: 'there' } });
  const [made, updated, byUrn, byAddress, relative, ofUpdate] = await send([
    entry('POST', 'Patient', { resourceType: 'Patient' }, `${OTHER}/Patient/77`),
    entry('PUT', 'Patient/there', { resourceType: 'Patient', id: 'there' }, `${URN}02`),
    entry('POST', 'Observation', observation(`${OTHER}/Patient/77/_history/4`)),
    entry('POST', 'Observation', observation(`${OTHER}/Patient/77`)),
    entry('POST', 'Observation', observation('Patient/77/_history/4'), `${OTHER}/Observation/1`),
    entry('POST', 'Observation', observation(`${URN}02/_history/9`)),
  ]);
  assert.equal(byUrn.subject.reference, `Patient/${made.id}/_history/1`);
  assert.equal(byAddress.subject.reference, `Patient/${made.id}`);
  assert.equal(relative.subject.reference, `Patient/${made.id}/_history/1`);
  assert.deepEqual([updated.meta.versionId, ofUpdate.subject.reference], ['2', 'Patient/there']);
});

test('placeholders that no entry has as its fullUrl refuse a transaction, each by its name', async () => {
  const entries = [
    entry('POST', 'Patient', { resourceType: 'Patient' }, `${URN}10`),
    entry('POST', 'Observation', { ...observation(`${URN}11`), performer: [{ reference: 'urn:oid:1.2.3' }] }),
    entry('PUT', 'Observation/kept', { ...observation(`${URN}10`), id: 'kept', focus: [{ reference: `${URN}12` }] }),
  ];
  const dangling = entries.slice(1);
  for (const sent of [entries, dangling, dangling.slice(0, 1)]) {
    const answer = await call('POST', '/', { body: bundleOf('transaction', sent) });
    const names = JSON.stringify(answer.body.issue);
    assert.equal(answer.status, 422, answer.text);
    for (const name of sent === entries ? [`${URN}11`, 'urn:oid:1.2.3', `${URN}12`] : [`${URN}11`, 'urn:oid:1.2.3']) {
      assert.ok(names.includes(name), name);
    }
    assert.deepEqual(answer.body.issue[0].expression, [`Bundle.entry[${sent === entries ? 1 : 0}].resource`]);
  }
  assert.equal((await call('GET', '/Observation/kept')).status, 404);
  const change = {
    name: 'operation',
    part: [
      { name: 'type', valueCode: 'replace' },
      { name: 'path', valueString: 'Observation.subject' },
      { name: 'value', valueReference: { reference: `${URN}13` } },
    ],
  };
  await call('PUT', '/Observation/patched', { body: { ...observation('Patient/x'), id: 'patched' } });
  const patch = entry('PATCH', 'Observation/patched', { resourceType: 'Parameters', parameter: [change] });
  assert.equal((await call('POST', '/', { body: bundleOf('transaction', [patch]) })).status, 422);
  const identifier = [{ system: 'urn:ietf:rfc:3986', value: `${URN}14` }];
  await send([entry('POST', 'Patient', { resourceType: 'Patient', identifier })]);
  const inner = {
    resourceType: 'Bundle',
    type: 'collection',
    entry: [{ fullUrl: `${URN}15`, resource: observation(`${URN}16`) }],
  };
  await send([entry('POST', 'Bundle', inner)]);
});

test('an entry of a batch that names another by its placeholder is refused alone', async () => {
  const entries = [
    entry('POST', 'Patient', { resourceType: 'Patient' }, `${URN}20`),
    entry('POST', 'Observation', observation(`${URN}20`)),
    entry('POST', 'Observation', observation(`${URN}21`)),
  ];
  const { body } = await call('POST', '/', { body: bundleOf('batch', entries) });
  const lines = body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  // By itself a resource may refer to any URI.
  assert.deepEqual(lines, ['201', '422', '201']);
  assert.match(body.entry[1].response.outcome.issue[0].details.text, /send a transaction/);
});

test('a fragment stays behind the address', async () => {
  const [made, document] = await send([
    entry('POST', 'Patient', { resourceType: 'Patient' }, `${URN}03`),
    entry('POST', 'DocumentReference', {
      resourceType: 'DocumentReference',
      status: 'current',
      content: [{ attachment: { url: `${URN}03#photo` } }],
    }),
  ]);
  assert.equal(document.content[0].attachment.url, `Patient/${made.id}#photo`);
});

test('URIs, narratives and markdown; never what merely looks alike', async () => {
  const div = (inner: string) => `<div xmlns="http://www.w3.org/1999/xhtml">${inner}</div>`;
  const note = { text: `See [the patient](${URN}04), <${URN}04> and ${URN}04` };
  const [made, weight] = await send([
    entry('POST', 'Patient', { resourceType: 'Patient' }, `${URN}04`),
    entry(
      'POST',
      'Observation',
      observation(`${URN}04`, {
        text: {
          status: 'generated',
          div: div(`<p title="${URN}04"><a class="x" href='${URN}04#a'>p</a><img src="${URN}04" alt="" /></p>`),
        },
        extension: [{ url: 'http://example.org/fhir/StructureDefinition/origin', valueUri: `${URN}04` }],
        identifier: [{ system: 'urn:x', value: `${URN}04` }],
        note: [note],
        contained: [
          {
            resourceType: 'Observation',
            id: 'in',
            status: 'final',
            code: { text: 'in' },
            subject: { reference: `${URN}04` },
          },
        ],
        hasMember: [{ reference: '#in' }],
      }),
    ),
  ]);
  const address = `Patient/${made.id}`;
  const links = `<p title="${URN}04"><a class="x" href="${address}#a">p</a><img src="${address}" alt="" /></p>`;
  assert.equal(weight.text.div, div(links));
  assert.equal(weight.extension[0].valueUri, address);
  assert.deepEqual(weight.identifier, [{ system: 'urn:x', value: `${URN}04` }]);
  assert.equal(weight.note[0].text, `See [the patient](${address}), <${address}> and ${URN}04`);
  assert.equal(weight.contained[0].subject.reference, address);
});

test('a placeholder in a canonical becomes the url of the definition; other canonicals stay, and so does what a definition calls itself', async () => {
  const form = (url?: string) => ({
    resourceType: 'Questionnaire',
    status: 'active',
    ...(url === undefined ? {} : { url }),
  });
  const answer = (questionnaire: string) => ({
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire,
  });
  const [named, nameless, ...answers] = await send([
    entry('POST', 'Questionnaire', form('http://x.org/form'), `${URN}05`),
    entry('POST', 'Questionnaire', form(), `${URN}06`),
    entry('POST', 'QuestionnaireResponse', answer(`${URN}05|2.0`)),
    entry('POST', 'QuestionnaireResponse', answer(`${URN}06`)),
    entry('POST', 'QuestionnaireResponse', answer('http://x.org/form2')),
    entry('POST', 'Questionnaire', form('http://x.org/form2'), 'http://x.org/form2'),
  ]);
  assert.deepEqual(
    answers.map((each: { questionnaire?: string; url?: string }) => each.questionnaire ?? each.url),
    ['http://x.org/form|2.0', `${BASE}/Questionnaire/${nameless.id}`, 'http://x.org/form2', 'http://x.org/form2'],
  );
  assert.equal(named.url, 'http://x.org/form');
});

test('conditional references are read in references alone, also with our own base in front', async () => {
  const identifier = [{ system: 'urn:r', value: 'one' }];
  const stored = {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [{ request: { method: 'GET', url: 'Patient?identifier=urn:r|nobody' } }],
  };
  const [made, near, far, bundle] = await send([
    entry('POST', 'Patient', { resourceType: 'Patient', identifier }),
    entry('POST', 'Observation', observation('Patient?identifier=urn:r|one')),
    entry('POST', 'Observation', observation(`${BASE}/Patient?identifier=urn:r|one`)),
    entry('POST', 'Bundle', stored),
  ]);
  assert.equal(near.subject.reference, `Patient/${made.id}`);
  assert.equal(far.subject.reference, `Patient/${made.id}`);
  assert.equal(bundle.entry[0].request.url, 'Patient?identifier=urn:r|nobody');
});

test('a conditional reference is one however JSON writes its signs', async () => {
  const identifier = [{ system: 'urn:r', value: 'escaped' }];
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', identifier } });
  const text = JSON.stringify(observation('Patient?identifier=urn:r|escaped'))
    .replace('?', '\\u003F')
    .replace('"reference"', '"\\u0072eference"');
  const single = await call('POST', '/Observation', { body: text });
  assert.equal(single.body.subject?.reference, `Patient/${made.id}`, single.text);
  const request = '{"method":"POST","url":"Observation"}';
  const body = `{"resourceType":"Bundle","type":"transaction","entry":[{"resource":${text},"request":${request}}]}`;
  const together = await call('POST', '/', { body });
  assert.equal(together.body.entry?.[0].resource.subject.reference, `Patient/${made.id}`, together.text);
  const validated = await call('POST', '/$validate', { body: text });
  assert.doesNotMatch(validated.text, /"severity":"error"/);
});

test('a FHIRPath Patch may refer to what another entry makes', async () => {
  await call('PUT', '/Observation/patched', { body: { ...observation('Patient/x'), id: 'patched' } });
  const operation = [
    { name: 'type', valueCode: 'replace' },
    { name: 'path', valueString: 'Observation.subject' },
    { name: 'value', valueReference: { reference: `${URN}07` } },
  ];
  const [made, patched] = await send([
    entry('POST', 'Patient', { resourceType: 'Patient' }, `${URN}07`),
    entry('PATCH', 'Observation/patched', {
      resourceType: 'Parameters',
      parameter: [{ name: 'operation', part: operation }],
    }),
  ]);
  assert.equal(patched.subject.reference, `Patient/${made.id}`);
});
