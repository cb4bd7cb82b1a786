// The organisations whose professionals work for a provider: linked, and unlinked again.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { Cards } from '../../shared/cards.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { type Named, OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { useOrganisations } from '../organisations/queries.ts';
import { useAct } from '../use-act.ts';

const MOST = 200;
const ofOrganisation = (guid: string) => ({ params: { path: { organisation_guid: guid } } });

export function StaffOrganisations({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const [isLinking, setLinking] = useState(false);
  const [leaving, setLeaving] = useState<Named>();
  const unlink = useAct<unknown>(
    () =>
      read(
        identity.DELETE(
          '/api/admin/organisations/{organisation_guid}/provider',
          ofOrganisation(leaving?.organisation_guid ?? ''),
        ),
      ),
    { changes: ['organisations'], onDone: () => setLeaving(undefined) },
  );
  return (
    <section aria-labelledby="staff-organisations">
      <h2 id="staff-organisations">{t('admin.staff.title')}</h2>
      <Loaded query={useOrganisations({ provider_guid: guid, per_page: MOST })}>
        {({ data }) => (
          <Cards items={data} none={t('admin.staff.none')}>
            {(each) => (
              <li key={each.organisation_guid} className="card row">
                <span>
                  {each.name}{' '}
                  <span className="quiet">{t('admin.organisations.professionals', { count: each.professionals })}</span>
                </span>
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('admin.staff.unlinkOf', { name: each.name })}
                  onClick={() => setLeaving(each)}
                >
                  {t('admin.remove')}
                </button>
              </li>
            )}
          </Cards>
        )}
      </Loaded>
      <p className="actions">
        <Button variant="default" onClick={() => setLinking(true)}>
          {t('admin.staff.link')}
        </Button>
      </p>
      {isLinking && <LinkDialog guid={guid} onClose={() => setLinking(false)} />}
      {leaving !== undefined && (
        <ActDialog
          title={t('admin.staff.unlinkOf', { name: leaving.name })}
          confirm={t('admin.remove')}
          act={unlink}
          onClose={() => setLeaving(undefined)}
        >
          <p>{t('admin.staff.unlinkEffect')}</p>
        </ActDialog>
      )}
    </section>
  );
}

function LinkDialog({ guid, onClose }: { readonly guid: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<readonly Named[]>([]);
  const link = useAct<unknown>(
    () =>
      read(
        identity.PUT('/api/admin/organisations/{organisation_guid}/provider', {
          ...ofOrganisation(chosen[0]?.organisation_guid ?? ''),
          body: { provider_guid: guid },
        }),
      ),
    { changes: ['organisations'], onDone: onClose },
  );
  return (
    <ActDialog
      title={t('admin.staff.linkTitle')}
      confirm={t('admin.staff.now')}
      act={link}
      onClose={onClose}
      isReady={chosen.length === 1}
    >
      <p>{t('admin.staff.effect')}</p>
      <OrganisationPicker chosen={chosen} isOne onChange={setChosen} />
    </ActDialog>
  );
}
