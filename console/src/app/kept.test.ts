// What a tab keeps: what is too large says so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keep } from './kept.ts';

test('a text that is too large for the tab says so, and leaves no older one in its place', () => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => {
      if (text.length > 200) throw new Error('QuotaExceededError');
      items.set(name, text);
    },
    removeItem: (name: string) => void items.delete(name),
  };
  assert.ok(keep('note', 'kort', storage));
  assert.equal(items.get('kedja-note'), 'kort');
  assert.equal(keep('note', 'x'.repeat(300), storage), false);
  assert.equal(items.has('kedja-note'), false);
});
