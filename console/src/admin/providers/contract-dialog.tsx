// A contract is made or changed: what for, for whom, where and when.
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { TypeAhead } from '../../shared/type-ahead.tsx';
import { useOrganisationNames } from '../access/queries.ts';
import { ActDialog } from '../act-dialog.tsx';
import { OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { useAct } from '../use-act.ts';
import { type Code, type Contract, contractBody, contractForm, missingOf, withCode } from './contract.ts';
import { findCodes } from './find-codes.ts';

interface ContractDialogProps {
  readonly provider: string;
  /** Left out for a new one. */
  readonly contract?: Contract | undefined;
  readonly onClose: () => void;
}

export function ContractDialog({ provider, contract, onClose }: ContractDialogProps) {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  const [form, setForm] = useState(() =>
    contractForm(contract, { today: new Date().toISOString().slice(0, 10), nameOf }),
  );
  const change = (next: Partial<typeof form>) => setForm({ ...form, ...next });
  const save = useAct<unknown>(
    (_value, key) => {
      const body = contractBody(provider, form);
      if (contract === undefined)
        return read(engine.POST('/api/v1/contracts', { headers: { 'idempotency-key': key }, body }));
      const params = { path: { id: contract.contract_guid } };
      return read(engine.PUT('/api/v1/contracts/{id}', { params, body }));
    },
    { changes: ['contracts'], onDone: onClose },
  );
  const missing = missingOf(form);
  return (
    <ActDialog
      title={t(contract === undefined ? 'admin.contract.new' : 'admin.contract.change')}
      confirm={t('admin.contract.save')}
      act={save}
      onClose={onClose}
      isReady={missing === undefined}
    >
      <CodesField codes={form.codes} onChange={(codes) => change({ codes })} />
      <div className="filters">
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={t(`admin.contract.${name}`)}
            value={form[name]}
            onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
          />
        ))}
        <TextInput
          label={t('admin.contract.region')}
          value={form.region}
          maxLength={200}
          autoComplete="off"
          onChange={({ currentTarget }) => change({ region: currentTarget.value })}
        />
      </div>
      <p className="quiet">{t('admin.contract.organisationHint')}</p>
      <OrganisationPicker
        chosen={form.organisation === undefined ? [] : [form.organisation]}
        isOne
        onChange={([organisation]) => change({ organisation })}
      />
      {form.organisation !== undefined && (
        <button type="button" className="plain-button" onClick={() => change({ organisation: undefined })}>
          {t('admin.contract.allOrganisations')}
        </button>
      )}
      <CheckBox
        label={t('admin.contract.isActive')}
        isChecked={form.isActive}
        onChange={(isChecked) => change({ isActive: isChecked })}
      />
      {missing !== undefined && <p role="status">{t(`admin.contract.missing.${missing}`)}</p>}
    </ActDialog>
  );
}

interface CodesFieldProps {
  readonly codes: readonly Code[];
  readonly onChange: (codes: readonly Code[]) => void;
}

/** Codes of the library are found by their names; others are typed. */
function CodesField({ codes, onChange }: CodesFieldProps) {
  const { t } = useTranslation();
  const [system, setSystem] = useState('');
  const [code, setCode] = useState('');
  const isReady = /^[^\s|]+$/.test(system.trim()) && code.trim() !== '';
  return (
    <fieldset>
      <legend>{t('admin.contract.codes')}</legend>
      {codes.length > 0 && (
        <ul>
          {codes.map((each) => (
            <li key={`${each.system}|${each.code}`}>
              <code>{each.code}</code> <span className="quiet">{each.system}</span>{' '}
              <button
                type="button"
                className="plain-button"
                aria-label={t('admin.contract.removeOf', { code: each.code })}
                onClick={() => onChange(codes.filter((other) => other !== each))}
              >
                {t('admin.remove')}
              </button>
            </li>
          ))}
        </ul>
      )}
      <TypeAhead
        label={t('admin.contract.find')}
        chosen=""
        none={t('admin.contract.none')}
        queryKey={['contract-codes']}
        find={findCodes}
        onChoose={(found) => found !== undefined && onChange(withCode(codes, found))}
      />
      <details>
        <summary>{t('admin.contract.other')}</summary>
        <div className="filters">
          <TextInput
            label={t('admin.contract.system')}
            value={system}
            maxLength={2000}
            autoComplete="off"
            onChange={({ currentTarget }) => setSystem(currentTarget.value)}
          />
          <TextInput
            label={t('admin.contract.code')}
            value={code}
            maxLength={200}
            autoComplete="off"
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
          <Button
            variant="default"
            disabled={!isReady}
            onClick={() => {
              onChange(withCode(codes, { system: system.trim(), code: code.trim() }));
              setCode('');
            }}
          >
            {t('admin.contract.add')}
          </Button>
        </div>
      </details>
    </fieldset>
  );
}
