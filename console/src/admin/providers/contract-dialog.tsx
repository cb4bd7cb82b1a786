// A contract is made, or changed where it is still the version that was opened.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import type { Part } from '../../shared/change/parts.ts';
import { useChange } from '../../shared/change/use-change.ts';
import { useOrganisationNames } from '../access/queries.ts';
import { ActDialog } from '../act-dialog.tsx';
import { ChangeDialog } from '../change-dialog.tsx';
import { useAct } from '../use-act.ts';
import { type Contract, contractBody, contractForm, missingOf } from './contract.ts';
import { ContractFields } from './contract-fields.tsx';

/** What shows contracts. */
export const CONTRACTS = ['contracts'] as const;

function useContractForm(contract?: Contract) {
  const nameOf = useOrganisationNames();
  const [form, setForm] = useState(() =>
    contractForm(contract, { today: new Date().toISOString().slice(0, 10), nameOf }),
  );
  const fields = <ContractFields form={form} onChange={(next) => setForm((typed) => ({ ...typed, ...next }))} />;
  return { form, fields, isReady: missingOf(form) === undefined };
}

export function NewContractDialog({ provider, onClose }: { readonly provider: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { form, fields, isReady } = useContractForm();
  const save = useAct<unknown>(
    (_value, key) => {
      const body = contractBody(provider, form);
      return read(engine.POST('/api/v1/contracts', { headers: { 'idempotency-key': key }, body }));
    },
    { changes: CONTRACTS, onDone: onClose },
  );
  const dialog = { title: t('admin.contract.new'), confirm: t('admin.contract.save'), isReady, onClose };
  return (
    <ActDialog {...dialog} act={save}>
      {fields}
    </ActDialog>
  );
}

export function ContractDialog({ contract, onClose }: { readonly contract: Contract; readonly onClose: () => void }) {
  const { t } = useTranslation();
  // What was opened, though the list is read again meanwhile.
  const [opened] = useState(contract);
  const { form, fields, isReady } = useContractForm(opened);
  const parts = useParts();
  const change = useChange<Contract>({
    path: `/contracts/${opened.contract_guid}`,
    versionOf: ({ version }) => version,
    parts,
    shownBy: CONTRACTS,
    onChanged: onClose,
  });
  const changes = contractBody(opened.provider_guid, form);
  return (
    <ChangeDialog<Contract>
      title={t('admin.contract.change')}
      {...{ change, parts, opened, changes, isReady, onClose }}
    >
      {fields}
    </ChangeDialog>
  );
}

function useParts(): readonly Part<Contract>[] {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  const field = (name: 'from' | 'to' | 'region' | 'codes' | 'organisation' | 'isActive') => t(`admin.contract.${name}`);
  return [
    { field: 'codes', label: field('codes'), words: ({ codes }) => codes.map(({ code }) => code).join(', ') },
    { field: 'valid_from', label: field('from'), words: ({ valid_from: from }) => from },
    { field: 'valid_to', label: field('to'), words: ({ valid_to: to }) => to ?? '' },
    { field: 'region', label: field('region'), words: ({ region }) => region ?? '' },
    {
      field: 'organisation_guid',
      label: field('organisation'),
      words: ({ organisation_guid: guid }) => (guid === null ? t('admin.contract.forAll') : nameOf(guid)),
    },
    {
      field: 'status',
      label: field('isActive'),
      words: ({ status }) => t(status === 'active' ? 'theirChanges.yes' : 'theirChanges.no'),
    },
  ];
}
