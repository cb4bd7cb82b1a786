// The fields of a contract: what for, for whom, where and when.
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { TypeAhead } from '../../shared/type-ahead.tsx';
import { OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { type Code, type ContractForm, missingOf, withCode } from './contract.ts';
import { findCodes } from './find-codes.ts';

interface ContractFieldsProps {
  readonly form: ContractForm;
  readonly onChange: (next: Partial<ContractForm>) => void;
}

/** With what is still missing. */
export function ContractFields({ form, onChange: change }: ContractFieldsProps) {
  const { t } = useTranslation();
  const missing = missingOf(form);
  return (
    <>
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
    </>
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
