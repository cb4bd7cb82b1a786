// Providers, found by name, and a new one.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { PagedCards } from '../../shared/paged-list.tsx';
import { pageIn, useAddress } from '../../shared/use-address.ts';
import { Page } from '../../shell/page.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { SearchField } from '../search-field.tsx';
import { useAct } from '../use-act.ts';
import { ProviderFields } from './provider-fields.tsx';
import { useProviders } from './queries.ts';

const PER_PAGE = 25;

export function ProvidersPage() {
  const { t } = useTranslation();
  const [chosen] = useAddress();
  const page = pageIn(chosen);
  const { q } = chosen;
  const found = useProviders({ ...(q === undefined ? {} : { search: q.slice(0, 200) }), page, per_page: PER_PAGE });
  return (
    <Page title={t('admin.providers.title')}>
      <search>
        <SearchField label={t('admin.providers.search')} />
      </search>
      <PagedCards query={found} perPage={PER_PAGE} none={t('admin.providers.none')}>
        {(provider) => (
          <li key={provider.provider_guid} className="card row">
            <Link to="/admin/providers/$guid" params={{ guid: provider.provider_guid }}>
              {provider.name}
            </Link>
            <span>
              <span className="quiet">{provider.region}</span>{' '}
              {provider.status === 'inactive' && <span className="badge strong">{t('admin.providers.inactive')}</span>}
            </span>
          </li>
        )}
      </PagedCards>
      <NewProvider />
    </Page>
  );
}

function NewProvider() {
  const { t } = useTranslation();
  const [name, setName, dropName] = useKept('new-provider', '');
  const [region, setRegion, dropRegion] = useKept('new-provider-region', '');
  const make = useAct(
    (body: { name: string; region: string }, key: string) =>
      read(engine.POST('/api/v1/providers', { headers: { 'idempotency-key': key }, body })),
    {
      name: 'provider',
      changes: ['providers', 'provider-names'],
      onDone: () => {
        dropName();
        dropRegion();
      },
    },
  );
  const isReady = name.trim() !== '' && region.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) make.mutate({ name: name.trim(), region: region.trim() });
  };
  return (
    <form onSubmit={submit}>
      <h2>{t('admin.providers.new')}</h2>
      <div className="filters">
        <ProviderFields name={name} region={region} onName={setName} onRegion={setRegion} />
        <Button type="submit" variant="default" disabled={!isReady} loading={make.isPending}>
          {t('admin.providers.make')}
        </Button>
      </div>
      {make.isSuccess && (
        <p className="note" role="status">
          {t('admin.providers.made', { name: make.data.name })}{' '}
          <Link to="/admin/providers/$guid" params={{ guid: make.data.provider_guid }}>
            {t('admin.providers.next')}
          </Link>
        </p>
      )}
      {make.error !== null && <ProblemCard error={make.error} />}
    </form>
  );
}
