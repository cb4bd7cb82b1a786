// The unit of a question, and its label with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitOf, withUnit } from './displays.ts';
import type { FormItem } from './form.ts';

const item = (more: Partial<FormItem>): FormItem => ({
  link_id: 'pulse',
  type: 'quantity',
  label: 'Puls',
  required: false,
  repeats: false,
  read_only: false,
  ...more,
});

test('a measure with one unit is labelled with it; of several one is chosen, and a number has none', () => {
  const [minute, hour] = [
    { label: 'per minut', code: '/min' },
    { label: 'per timme', code: '/h' },
  ];
  assert.equal(withUnit('Puls', unitOf(item({ units: [minute] }))), 'Puls (per minut)');
  assert.equal(withUnit('Puls', unitOf(item({ units: [minute, hour] }))), 'Puls');
  assert.equal(withUnit('Puls', unitOf(item({ type: 'integer', units: [minute] }))), 'Puls');
});
