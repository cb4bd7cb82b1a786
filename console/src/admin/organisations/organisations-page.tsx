// Organisations: how many work there, whose provider's each is, and a new one.
import { Button, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { Pager } from '../../app/pager.tsx';
import { useKept } from '../../app/use-kept.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { SearchForm } from '../search-form.tsx';
import { useAct } from '../use-act.ts';
import { pageIn, useAddress } from '../use-address.ts';
import { useOrganisations } from './queries.ts';

const PER_PAGE = 25;

export function OrganisationsPage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
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
        <SearchForm
          label={t('admin.organisations.search')}
          button={t('admin.search')}
          value={q ?? ''}
          onSearch={(text) => change({ q: text })}
        />
      </search>
      <Loaded query={found}>
        {({ data, total }) => (
          <>
            {data.length === 0 && <Empty>{t('admin.organisations.none')}</Empty>}
            <ul className="cards">
              {data.map((each) => (
                <li key={each.organisation_guid} className="card">
                  <div className="row">
                    <strong>{each.name}</strong>
                    {each.provider_guid !== null && (
                      <span className="badge strong">{t('admin.organisations.isProvider')}</span>
                    )}
                  </div>
                  <p className="quiet">{t('admin.organisations.professionals', { count: each.professionals })}</p>
                </li>
              ))}
            </ul>
            <Pager
              page={page}
              perPage={PER_PAGE}
              total={total}
              words={{ previous: t('admin.previous'), next: t('admin.next') }}
              onPage={(next) => change({ page: next === undefined ? undefined : String(next) })}
            />
          </>
        )}
      </Loaded>
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
    { changes: ['organisations'], onDone: drop },
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
