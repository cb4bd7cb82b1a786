// The columns of a large library's code system are rebuilt in the background. Until that is done, requests use the old
// columns (decision E5).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLibraryCodeSystems, type LibraryCodeSystems } from './code-systems.ts';

const URL = 'http://x.org/large';
const LIBRARY = { guid: 'a-library', name: 'Large', url: URL, version: '1', publisher: null, description: null };
const SIZE = 10_000;

const concept = (code: string, name: string) => ({
  library: LIBRARY.guid,
  code,
  name,
  display: null,
  definition: `Of ${name}`,
});

async function large(): Promise<LibraryCodeSystems> {
  const systems = createLibraryCodeSystems();
  systems.putLibrary(LIBRARY);
  for (let number = 0; number < SIZE; number += 1) systems.putConcept(concept(`c${number}`, `Name ${number}`));
  assert.deepEqual(systems.catalog.codeSystems(URL), [], 'not there before it has been read');
  await systems.settle(new AbortController().signal);
  return systems;
}

function displayOf({ catalog }: LibraryCodeSystems, code: string): string | undefined {
  const model = catalog.codeSystems(URL)[0]?.model();
  const place = model?.find(code) ?? -1;
  return place === -1 ? undefined : model?.display(place);
}

test('changes of a large library are visible when they are merged, and computed values are valid until then', async () => {
  const systems = await large();
  const { generation } = systems.catalog;
  systems.putConcept(concept('c7', 'Changed'));
  systems.putConcept(concept('new', 'New'));
  systems.removeConcept({ library: LIBRARY.guid, code: 'c8' });
  assert.equal(systems.catalog.generation, generation);
  assert.deepEqual(
    ['c7', 'new', 'c8'].map((code) => displayOf(systems, code)),
    ['Name 7', undefined, 'Name 8'],
  );
  const settled = systems.settle(new AbortController().signal);
  // What comes while it is being worked in is worked in behind it.
  systems.putConcept(concept('c9', 'Late'));
  systems.putConcept(concept('c7', 'Changed again'));
  assert.equal(displayOf(systems, 'c7'), 'Name 7');
  await settled;
  assert.notEqual(systems.catalog.generation, generation);
  assert.deepEqual(
    ['c7', 'new', 'c8', 'c9', 'c6'].map((code) => displayOf(systems, code)),
    ['Changed again', 'New', undefined, 'Late', 'Name 6'],
  );
  const model = systems.catalog.codeSystems(URL)[0]?.model();
  assert.equal(model?.size, SIZE);
  const codes = Array.from({ length: model?.size ?? 0 }, (_, place) => model?.code(place));
  assert.deepEqual(codes, codes.toSorted());
  assert.equal(model?.definition(model.find('new')), 'Of New');
});

test('its name, address and version are others at once', async () => {
  const systems = await large();
  systems.putLibrary({ ...LIBRARY, url: 'http://x.org/renamed', version: '2', name: 'Renamed' });
  assert.deepEqual(systems.catalog.codeSystems(URL), []);
  const [system] = systems.catalog.codeSystems('http://x.org/renamed');
  assert.deepEqual(
    [system?.version, system?.model().meta.version, system?.title, system?.model().size],
    ['2', '2', 'Renamed', SIZE],
  );
});

test('changes of an aborted merge are merged the next time', async () => {
  const systems = await large();
  systems.putConcept(concept('c7', 'Changed'));
  const stopping = new AbortController();
  const settled = systems.settle(stopping.signal);
  systems.putConcept(concept('c8', 'Changed too'));
  stopping.abort(new Error('stopped'));
  await assert.rejects(settled);
  assert.equal(displayOf(systems, 'c7'), 'Name 7');
  await systems.settle(new AbortController().signal);
  assert.deepEqual([displayOf(systems, 'c7'), displayOf(systems, 'c8')], ['Changed', 'Changed too']);
});

test('a library that becomes small is answered from at once', async () => {
  const systems = await large();
  for (let number = 1; number < SIZE; number += 1) {
    systems.removeConcept({ library: LIBRARY.guid, code: `c${number}` });
  }
  await systems.settle(new AbortController().signal);
  systems.putConcept(concept('c0', 'Changed'));
  assert.deepEqual([displayOf(systems, 'c0'), displayOf(systems, 'c1')], ['Changed', undefined]);
});
