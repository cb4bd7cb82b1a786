import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Face } from '../shell/face.ts';
import { commandsOf, isMatch } from './commands.ts';
import { distinct, foundBy, idIn } from './found.ts';

const component = (() => null) as unknown as Face['screens'][0]['component'];
const FACE: Face = {
  name: 'planner',
  isFor: () => true,
  screens: [
    { path: '/plan', label: 'work', component },
    { path: '/plan/patients/$id', component },
    { path: '/plan/library', label: 'library', component, isFor: ({ user_type: type }) => type === 'x' },
  ],
  shortcuts: [{ path: '/plan/forms/new', label: 'newForm' }],
};

test('commands are the screens that somebody has, and the shortcuts of the faces', () => {
  const words = { face: String, screen: String, shortcut: String };
  const found = commandsOf([FACE], { user_type: 'professional' }, words);
  assert.deepEqual(
    found.map(({ label, to }) => `${label} ${to}`),
    ['work /plan', 'newForm /plan/forms/new'],
  );
});

test('a text matches by the beginnings of words, whatever the accents', () => {
  assert.ok(isMatch('min var', 'Min vård') && isMatch('VÅRD', 'Min vård') && isMatch('', 'Min vård'));
  assert.ok(!isMatch('ård', 'Min vård') && !isMatch('min plan', 'Min vård'));
});

test('an id is found in what was pasted', () => {
  const id = '0a1b2c3d-0000-4000-8000-00000000000a';
  assert.equal(idIn(` https://kedja.test/plan/requests/${id.toUpperCase()}?x=1`), id);
  assert.equal(idIn('0a1b2c3d-0000'), undefined);
});

test('one source that fails hides nothing of the others; all that fail are an error', async () => {
  const found = { kind: 'patient', id: '1', label: 'A', to: '/' } as const;
  const failed = () => Promise.reject(new Error('away'));
  assert.deepEqual(await foundBy([failed(), Promise.resolve([found])]), [found]);
  await assert.rejects(foundBy([failed(), failed()]), /away/);
  assert.deepEqual(await foundBy([]), []);
});

test('what two searches found is there once', () => {
  const one = { kind: 'request', id: '1', label: 'A', to: '/plan/requests/1' } as const;
  const found = distinct([one, { ...one, kind: 'plan' }, { ...one, label: 'B' }]);
  assert.deepEqual(
    found.map(({ kind, id }) => `${kind} ${id}`),
    ['request 1', 'plan 1'],
  );
});
