// For a provider with a system of its own: how requests reach it, its secret, a test, and what was sent to it.
import { NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { CopyText } from '../../shared/copy.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { EndpointCard } from './endpoint-card.tsx';
import { useEndpoint, useOwnProviders, useProvider } from './queries.ts';

export function IntegrationPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const providers = useOwnProviders();
  const { provider: wanted } = useSearch({ strict: false }) as { provider?: unknown };
  const guid = providers.find((each) => each === wanted) ?? providers[0];
  return (
    <Page title={t('caregiver.system.title')}>
      {providers.length > 1 && (
        <search className="filters">
          <NativeSelect
            label={t('caregiver.system.provider')}
            value={guid}
            onChange={({ currentTarget }) =>
              void navigate({ to: '/care/system', search: { provider: currentTarget.value } })
            }
          >
            {providers.map((each) => (
              <ProviderOption key={each} guid={each} />
            ))}
          </NativeSelect>
        </search>
      )}
      {guid === undefined ? <Empty>{t('caregiver.system.none')}</Empty> : <Provider guid={guid} />}
    </Page>
  );
}

function ProviderOption({ guid }: { readonly guid: string }) {
  const { data } = useProvider(guid);
  return <option value={guid}>{data?.name ?? guid}</option>;
}

function Provider({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const { data: provider } = useProvider(guid);
  const feed = `${window.location.origin}/dispatch/api/v1/requests?provider_guid=${guid}`;
  return (
    <>
      <p>{provider?.name}</p>
      <Loaded query={useEndpoint(guid)}>
        {(endpoint) =>
          endpoint === null ? (
            <Empty>{t('caregiver.system.noEndpoint')}</Empty>
          ) : (
            <EndpointCard guid={guid} endpoint={endpoint} />
          )
        }
      </Loaded>
      <section className="card" aria-labelledby="feed">
        <h2 id="feed">{t('caregiver.system.feed')}</h2>
        <p>{t('caregiver.system.feedLead')}</p>
        <CopyText text={feed} label={t('caregiver.system.feedAddress')} />
      </section>
      <DeliveryList guid={guid} />
    </>
  );
}
