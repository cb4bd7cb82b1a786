import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineSection, variable } from './section.ts';
import { describeSettings } from './settings.ts';
import { integer, secretText, text } from './types.ts';

const sections = {
  shop: defineSection({
    title: 'The shop',
    variables: {
      name: variable('KEDJA_NAME', text(), { description: 'What it is called.', whenUnset: 'no name' }),
      seats: variable('KEDJA_SEATS', integer({ min: 1, max: 9 }), {
        description: 'How many sit.',
        default: 4,
        demo: 2,
      }),
      key: variable('KEDJA_KEY', secretText(), { description: 'The key of the till.' }),
    },
  }),
};

function describe(
  process: Record<string, string>,
  file: Record<string, string> = {},
  mode: 'production' | 'demo' = 'production',
) {
  const found = describeSettings(sections, { process, all: { ...file, ...process }, mode }).shop;
  return Object.fromEntries(found.map((each) => [each.name, each]));
}

test('each value has its source, and the meaning of its declaration', () => {
  const { KEDJA_NAME: name, KEDJA_SEATS: seats } = describe({ KEDJA_NAME: ' Ada ' }, { KEDJA_SEATS: '7' });
  assert.deepEqual([name?.value, name?.source, name?.is_set], ['Ada', 'environment', true]);
  assert.deepEqual([seats?.value, seats?.source, seats?.default], ['7', 'env_file', '4']);
  assert.deepEqual([seats?.meaning, seats?.section], ['How many sit.', 'The shop']);
  const { KEDJA_NAME: none, KEDJA_SEATS: usual } = describe({ KEDJA_NAME: ' ' });
  assert.deepEqual([none?.value, none?.source, none?.is_set, none?.when_unset], [null, 'unset', false, 'no name']);
  assert.deepEqual([usual?.value, usual?.source], ['4', 'default']);
});

test('of a secret it is said that it is set and whence, and never what it is', () => {
  for (const [given, source] of [
    [{ KEDJA_KEY: 'very-secret' }, 'environment'],
    [{ KEDJA_KEY_FILE: '/run/very-secret' }, 'secret_file'],
  ] as const) {
    const settings = describe(given);
    assert.deepEqual([settings['KEDJA_KEY']?.is_set, settings['KEDJA_KEY']?.source], [true, source]);
    assert.doesNotMatch(JSON.stringify(settings), /very-secret/);
  }
  assert.equal(describe({})['KEDJA_KEY']?.is_set, false);
});
