// Organisations: how many work there, whose provider's each is, and a new one.
import { Button, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { PagedCards } from '../../shared/paged-list.tsx';
import { pageIn, useAddress } from '../../shared/use-address.ts';
import { Page } from '../../shell/page.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { SearchField } from '../search-field.tsx';
import { useAct } from '../use-act.ts';
import { useOrganisations } from './queries.ts';

const PER_PAGE = 25;

export function OrganisationsPage() {
  const { t } = useTranslation();
  const [chosen] = useAddress();
  const page = pageIn(chosen);
  const { q } = chosen;
  const found = useOrganisations({
    ...(q === undefined ? {} : { search: q.slice(0, 200) }),
    page,
    per_page: PER_PAGE,
  });
  return (
    <Page title={t('admin.organisations.title')}>
      <search>
        <SearchField label={t('admin.organisations.search')} />
      </search>
      <PagedCards query={found} perPage={PER_PAGE} none={t('admin.organisations.none')}>
        {(each) => (
          <li key={each.organisation_guid} className="card">
            <div className="row">
              <strong>{each.name}</strong>
              {each.provider_guid !== null && (
                <span className="badge strong">{t('admin.organisations.isProvider')}</span>
              )}
            </div>
            <p className="quiet">{t('admin.organisations.professionals', { count: each.professionals })}</p>
          </li>
        )}
      </PagedCards>
      <NewOrganisation />
    </Page>
  );
}

function NewOrganisation() {
  const { t } = useTranslation();
  const [name, setName, drop] = useKept('new-organisation', '');
  const make = useAct(
    (body: { name: string }, key: string) =>
      read(identity.POST('/api/admin/organisations', { headers: { 'idempotency-key': key }, body })),
    { name: 'organisation', changes: ['organisations'], onDone: drop },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') make.mutate({ name: name.trim() });
  };
  return (
    <form onSubmit={submit}>
      <h2>{t('admin.organisations.new')}</h2>
      <div className="search-form">
        <TextInput
          label={t('admin.organisations.name')}
          value={name}
          maxLength={200}
          autoComplete="off"
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={name.trim() === ''} loading={make.isPending}>
          {t('admin.organisations.make')}
        </Button>
      </div>
      {make.isSuccess && (
        <p className="note" role="status">
          {t('admin.organisations.made', { name: make.data.name })}
        </p>
      )}
      {make.error !== null && <ProblemCard error={make.error} />}
    </form>
  );
}
