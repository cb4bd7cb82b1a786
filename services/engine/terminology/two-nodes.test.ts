// Another node uses the terminology that one node has stored: complete systems, fragments, supplements, and several
// versions (decision E5, docs/adr/0017).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTwoEngines } from '#test/support/engine/engine.ts';
import { askingBoth } from '#test/support/engine/terminology-nodes.ts';

const { one, two } = await startTwoEngines({ after });
const everywhere = askingBoth(one, two);

const URL = 'http://x.org/ores';
const codeSystem = (id: string, version: string, more: object) => ({
  resourceType: 'CodeSystem',
  id,
  url: URL,
  version,
  status: 'active',
  content: 'complete',
  ...more,
});
const concepts = (...codes: readonly string[]) => ({
  concept: codes.map((code) => ({ code, display: `The ${code}` })),
});

before(async () => {
  await one.engine.start();
  await two.engine.start();
});

async function put(resource: { readonly resourceType: string; readonly id: string }): Promise<void> {
  const answer = await one.call('planner', 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
  assert.ok(answer.status < 300, answer.text);
}

const lookup = (code: string, more = '') => `/CodeSystem/$lookup?system=${URL}&code=${code}${more}`;
const validate = (code: string, more = '') => `/CodeSystem/$validate-code?url=${URL}&code=${code}${more}`;

test('a code system comes, changes and goes', async () => {
  await put(codeSystem('ores', '1.0.0', concepts('iron')));
  await everywhere(lookup('iron'), 'display', 'The iron');
  await put(codeSystem('ores', '1.0.0', concepts('iron', 'zinc')));
  await everywhere(lookup('zinc'), 'display', 'The zinc');
  await everywhere(validate('gold'), 'result', false);
  assert.equal((await one.call('planner', 'DELETE', '/CodeSystem/ores')).status, 204);
  await everywhere(lookup('zinc'), 'display', 404);
});

test('versions are side by side: the newest is meant, unless another one is named', async () => {
  await put(codeSystem('ores-1', '1.9.0', concepts('iron')));
  await put(codeSystem('ores-2', '1.10.0', concepts('zinc')));
  await everywhere(validate('zinc'), 'result', true);
  await everywhere(validate('iron'), 'result', false);
  await everywhere(validate('iron', '&version=1.9.0'), 'result', true);
  await everywhere(validate('iron', '&version=1.x'), 'result', false);
  await put(codeSystem('ores-2', '1.10.0', { ...concepts('zinc'), status: 'retired' }));
  await everywhere(validate('iron'), 'result', true);
  await everywhere(validate('zinc', '&version=1.10.0'), 'result', true);
});

test('a fragment is not all there is', async () => {
  await put(codeSystem('ores-3', '3.0.0', { ...concepts('tin'), content: 'fragment' }));
  await everywhere(lookup('tin'), 'display', 'The tin');
  await everywhere(validate('lead'), 'result', true);
});

test('a supplement adds names', async () => {
  await put({
    ...codeSystem('ores-sv', '1', { content: 'supplement', supplements: URL }),
    ...{ url: 'http://x.org/ores-sv', concept: [{ code: 'tin', designation: [{ language: 'sv', value: 'Tenn' }] }] },
  });
  await everywhere(lookup('tin', '&displayLanguage=sv&useSupplement=http://x.org/ores-sv'), 'display', 'Tenn');
});

test('value sets too, by version and by the version that the request says', async () => {
  const valueSet = (id: string, version: string, code: string) => ({
    resourceType: 'ValueSet',
    id,
    url: 'http://x.org/chosen',
    version,
    status: 'active',
    compose: { include: [{ system: URL, version: '1.9.0', concept: [{ code }] }] },
  });
  await put(codeSystem('ores-1', '1.9.0', concepts('iron', 'zinc')));
  await put(valueSet('chosen-1', '1', 'iron'));
  await put(valueSet('chosen-2', '2', 'zinc'));
  const member = (code: string, more = '') =>
    `/ValueSet/$validate-code?url=http://x.org/chosen&system=${URL}&systemVersion=1.9.0&code=${code}${more}`;
  await everywhere(member('zinc'), 'result', true);
  await everywhere(member('iron'), 'result', false);
  await everywhere(member('iron', '&valueSetVersion=1'), 'result', true);
  await everywhere(member('iron', '&default-valueset-version=http://x.org/chosen|1'), 'result', true);
});

test('value sets that follow from a code system come, change and go with it', async () => {
  const gems = (...codes: readonly string[]) => ({
    ...codeSystem('gems', '1', concepts(...codes)),
    ...{ url: 'http://x.org/gems', valueSet: 'http://x.org/all-gems', hierarchyMeaning: 'is-a' },
  });
  const all = [`http://x.org/gems?fhir_vs`, 'http://x.org/gems?fhir_vs=isa/ruby', 'http://x.org/all-gems'].map(
    (url) => `/ValueSet/$expand?url=${encodeURIComponent(url)}`,
  );
  const are = async (...expected: readonly unknown[]) => {
    for (const [at, address] of all.entries()) await everywhere(address, 'codes', expected[at]);
  };
  await are(404, 404, 404);
  await put(gems('opal', 'ruby'));
  await are('opal ruby', 'ruby', 'opal ruby');
  await put(gems('jade', 'ruby'));
  await are('jade ruby', 'ruby', 'jade ruby');
  assert.equal((await one.call('planner', 'DELETE', '/CodeSystem/gems')).status, 204);
  await are(404, 404, 404);
});
