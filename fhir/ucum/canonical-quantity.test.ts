// Conversion of quantities to UCUM's base units.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalRange } from './canonical-quantity.ts';

describe('canonicalRange', () => {
  const at = (value: number, code: string) => canonicalRange(value, value, code);

  it('converts equal amounts in different units to the same number', () => {
    const same = [
      [at(5.4, 'mg'), at(0.0054, 'g'), at(5400, 'ug')],
      [at(100, 'mg/dL'), at(1, 'g/L')],
      [at(120, 'mm[Hg]'), at(0.12, 'm[Hg]')],
      [at(60, '/min'), at(1, '/s')],
      [at(37, 'Cel'), at(98.6, '[degF]'), at(310.15, 'K')],
      [at(1, 'kg/m2'), at(0.1, 'g/cm2')],
    ];
    for (const [first, ...others] of same) {
      assert.ok(first);
      for (const other of others) assert.deepEqual(other, first);
    }
  });

  it('distinguishes amounts of different kinds', () => {
    assert.notEqual(at(1, 'g')?.unit, at(1, 'm')?.unit);
    assert.notEqual(at(1, 'g/L')?.unit, at(1, 'g')?.unit);
  });

  it('keeps open ranges open', () => {
    assert.deepEqual(canonicalRange(Number.NEGATIVE_INFINITY, 5, 'mg'), {
      low: Number.NEGATIVE_INFINITY,
      high: 0.005,
      unit: 'g',
    });
  });

  it('ignores unknown units and units that are not amounts', () => {
    for (const code of ['wrongo', '', '[iU]/L', '[pH]', 'dB', 'x'.repeat(1000)])
      assert.equal(at(1, code), undefined, code);
  });
});
