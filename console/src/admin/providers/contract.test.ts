import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contract, contractBody, contractForm, missingOf, withCode } from './contract.ts';

const CODE = { system: 'urn:codes', code: 'weight' };
const site = { today: '2026-11-27', nameOf: (guid: string) => `unit ${guid}` };
const CONTRACT: Contract = {
  contract_guid: 'c',
  provider_guid: 'p',
  provider_name: 'Rehab',
  codes: [CODE],
  organisation_guid: 'o',
  region: null,
  valid_from: '2026-01-01',
  valid_to: null,
  status: 'inactive',
  version: 1,
  created_at: '',
  updated_at: '',
};

test('a contract that is opened and saved as it is stays as it is', () => {
  const form = contractForm(CONTRACT, site);
  assert.equal(form.organisation?.name, 'unit o');
  const { provider_guid, codes, organisation_guid, region, valid_from, valid_to, status } = CONTRACT;
  assert.deepEqual(contractBody('p', form), {
    provider_guid,
    codes,
    organisation_guid,
    region,
    valid_from,
    valid_to,
    status,
  });
});

test('a new contract begins today, and says what is missing', () => {
  const empty = contractForm(undefined, site);
  assert.deepEqual([empty.from, missingOf(empty)], ['2026-11-27', 'codes']);
  const form = { ...empty, codes: withCode(withCode([], CODE), { ...CODE }), region: ' Norr ' };
  assert.deepEqual([form.codes.length, missingOf(form)], [1, undefined]);
  assert.equal(contractBody('p', form).region, 'Norr');
  assert.equal(missingOf({ ...form, from: '' }), 'from');
  assert.equal(missingOf({ ...form, to: '2026-11-26' }), 'order');
});
