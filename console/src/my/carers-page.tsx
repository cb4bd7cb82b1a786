// Who cares for the patient: where they are registered, who has accepted the work, and who has been asked.
import { useTranslation } from 'react-i18next';
import { actingFor } from '../api/acting.ts';
import { dayText } from '../i18n/format.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Page } from '../shell/page.tsx';
import { TwoLists } from '../shell/two-lists.tsx';
import { type Carer, useCarers, useOrganisations, useRegistration } from './queries.ts';

export function CarersPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('carers.title')}>
      {/* Identity knows no acting for others: this would be one's own. */}
      {actingFor() === undefined && <Registration />}
      <Loaded query={useCarers()}>
        {(carers) => (
          <TwoLists
            entries={carers}
            isFirst={({ status }) => status === 'accepted'}
            first={{ title: t('carers.accepted'), empty: t('carers.none') }}
            othersTitle={t('carers.asked')}
          >
            {(carers) => <CarerList carers={carers} />}
          </TwoLists>
        )}
      </Loaded>
    </Page>
  );
}

function Registration() {
  const { t } = useTranslation();
  const organisations = useOrganisations();
  return (
    <Loaded query={useRegistration()}>
      {({ organisation_guid: guid, registries }) => (
        <div className="card">
          <dl className="facts">
            <dt>{t('carers.registeredAt')}</dt>
            <dd>{organisations.data?.get(guid) ?? '…'}</dd>
            <dt>{t('carers.registries')}</dt>
            <dd>{registries.length === 0 ? t('carers.noRegistries') : registries.join(', ')}</dd>
          </dl>
        </div>
      )}
    </Loaded>
  );
}

const PROGRESS = ['acknowledged', 'in_progress', 'completed'] as const;

function CarerList({ carers }: { readonly carers: readonly Carer[] }) {
  const { t } = useTranslation();
  return (
    <ul className="cards">
      {carers.map((carer) => {
        const progress = PROGRESS.find((each) => each === carer.progress);
        return (
          <li key={carer.key} className="card">
            <div className="row">
              <strong>{carer.provider}</strong>
              {progress !== undefined && <span className="badge">{t(`carers.progress.${progress}`)}</span>}
            </div>
            {carer.title !== '' && <p>{carer.title}</p>}
            <p className="quiet">{t(`carers.since.${carer.status}`, { day: dayText(carer.since) })}</p>
          </li>
        );
      })}
    </ul>
  );
}
