// Changes a provider: its name, where it works, the organisation whose consents concern it, and whether it is in use.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import type { EngineShapes } from '../../api/shapes.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { useOrganisationNames } from '../access/queries.ts';
import { ActDialog } from '../act-dialog.tsx';
import { type Named, OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { useAct } from '../use-act.ts';
import { ProviderFields } from './provider-fields.tsx';

export type Provider = EngineShapes['Provider'];

interface ChangeProviderDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

export function ChangeProviderDialog({ provider, onClose }: ChangeProviderDialogProps) {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  const { provider_guid: guid, organisation_guid: before } = provider;
  const [name, setName] = useState(provider.name);
  const [region, setRegion] = useState(provider.region);
  const [isActive, setActive] = useState(provider.status === 'active');
  const [organisation, setOrganisation] = useState(before);
  const [chosen, setChosen] = useState<Named>();
  const save = useAct<unknown>(
    () =>
      read(
        engine.PUT('/api/v1/providers/{id}', {
          params: { path: { id: guid } },
          body: {
            name: name.trim(),
            region: region.trim(),
            organisation_guid: organisation,
            status: isActive ? 'active' : 'inactive',
          },
        }),
      ),
    { changes: ['provider', 'providers', 'provider-names'], onDone: onClose },
  );
  const shown =
    organisation === null ? [] : [chosen ?? { organisation_guid: organisation, name: nameOf(organisation) }];
  return (
    <ActDialog
      title={t('admin.providers.changeTitle', { name: provider.name })}
      confirm={t('admin.contract.save')}
      act={save}
      onClose={onClose}
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
    </ActDialog>
  );
}
