// Changes a provider: its name, where it works, the organisation whose consents concern it, and whether it is in use.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EngineShapes } from '../../api/shapes.ts';
import type { Part } from '../../shared/change/parts.ts';
import { useChange } from '../../shared/change/use-change.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { useOrganisationNames } from '../access/queries.ts';
import { ChangeDialog } from '../change-dialog.tsx';
import { type Named, OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { ProviderFields } from './provider-fields.tsx';

export type Provider = EngineShapes['Provider'];

interface ChangeProviderDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

export function ChangeProviderDialog({ provider, onClose }: ChangeProviderDialogProps) {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  // What was opened, though the page is read again meanwhile.
  const [opened] = useState(provider);
  const [name, setName] = useState(opened.name);
  const [region, setRegion] = useState(opened.region);
  const [isActive, setActive] = useState(opened.status === 'active');
  const [organisation, setOrganisation] = useState(opened.organisation_guid);
  const [chosen, setChosen] = useState<Named>();
  const parts = useParts();
  const change = useChange<Provider>({
    path: `/providers/${opened.provider_guid}`,
    versionOf: ({ version }) => version,
    parts,
    shownBy: ['provider', 'providers', 'provider-names'],
    onChanged: onClose,
  });
  const changes: Partial<Provider> = {
    name: name.trim(),
    region: region.trim(),
    organisation_guid: organisation,
    status: isActive ? 'active' : 'inactive',
  };
  const shown =
    organisation === null ? [] : [chosen ?? { organisation_guid: organisation, name: nameOf(organisation) }];
  return (
    <ChangeDialog<Provider>
      title={t('admin.providers.changeTitle', { name: opened.name })}
      {...{ change, parts, opened, changes, onClose }}
      isReady={name.trim() !== '' && region.trim() !== ''}
    >
      <div className="filters">
        <ProviderFields name={name} region={region} onName={setName} onRegion={setRegion} />
      </div>
      <p className="quiet">{t('admin.providers.organisationHint')}</p>
      <OrganisationPicker
        chosen={shown}
        isOne
        onChange={([next]) => {
          setChosen(next);
          setOrganisation(next?.organisation_guid ?? null);
        }}
      />
      {organisation !== null && (
        <button type="button" className="plain-button" onClick={() => setOrganisation(null)}>
          {t('admin.providers.noOrganisation')}
        </button>
      )}
      <CheckBox label={t('admin.providers.isActive')} isChecked={isActive} onChange={setActive} />
    </ChangeDialog>
  );
}

function useParts(): readonly Part<Provider>[] {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  return [
    { field: 'name', label: t('admin.providers.name'), words: ({ name }) => name },
    { field: 'region', label: t('admin.providers.region'), words: ({ region }) => region },
    {
      field: 'organisation_guid',
      label: t('admin.contract.organisation'),
      words: ({ organisation_guid: guid }) => (guid === null ? '' : nameOf(guid)),
    },
    {
      field: 'status',
      label: t('admin.providers.isActive'),
      words: ({ status }) => t(status === 'active' ? 'theirChanges.yes' : 'theirChanges.no'),
    },
  ];
}
