// What has been recorded about accounts, the newest first, by filters that are in the address; and as a file.
import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveTable } from '../../api/download.ts';
import { MoreButton } from '../../app/more-button.tsx';
import { momentText, numberText } from '../../i18n/format.ts';
import { endOfDay, startOfDay } from '../../shared/days.ts';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { type Chosen, oneOf, useAddress } from '../../shared/use-address.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { SearchForm } from '../search-form.tsx';
import { type AuditEvent, type AuditFilter, actorOf, eventRows, MOST_ROWS, readAll, readEvents } from './events.ts';
import { useEventWords } from './words.ts';

const OUTCOMES = ['success', 'failure'] as const;
const DAYS = ['since', 'until'] as const;

export function AuditPage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const filter = filterOf(chosen);
  return (
    <Page title={t('admin.audit.title')}>
      <search className="filters">
        <SearchForm
          label={t('admin.audit.event')}
          button={t('admin.search')}
          value={chosen['event'] ?? ''}
          onSearch={(event) => change({ event })}
        />
        <FilterSelect
          label={t('admin.audit.outcome')}
          values={OUTCOMES}
          all={t('admin.audit.anyOutcome')}
          textOf={(outcome) => t(`admin.audit.is.${outcome}`)}
          chosen={filter.outcome}
          onChoose={(outcome) => change({ outcome })}
        />
        {DAYS.map((name) => (
          <TextInput
            key={name}
            type="date"
            label={t(`admin.audit.${name}`)}
            value={chosen[name] ?? ''}
            onChange={({ currentTarget }) =>
              change({ [name]: currentTarget.value === '' ? undefined : currentTarget.value })
            }
          />
        ))}
      </search>
      {filter.user_guid !== undefined && (
        <p>
          {t('admin.audit.ofUser')} <code>{filter.user_guid}</code>{' '}
          <button type="button" className="plain-button" onClick={() => change({ user: undefined })}>
            {t('admin.audit.ofAll')}
          </button>
        </p>
      )}
      <Save filter={filter} />
      <Events filter={filter} />
    </Page>
  );
}

function Save({ filter }: { readonly filter: AuditFilter }) {
  const { t } = useTranslation();
  const [count, setCount] = useState(0);
  const save = useMutation({
    mutationFn: () => readAll(filter, setCount),
    onSuccess: (events) => saveTable(eventRows(events), 'audit.csv'),
  });
  return (
    <>
      {save.error !== null && <ErrorCard error={save.error} />}
      <p className="actions">
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {t('admin.audit.save')}
        </Button>
        <span role="status">
          {save.isPending && t('admin.audit.reading', { count, events: numberText(count) })}
          {save.data?.length === MOST_ROWS && t('admin.audit.cut', { count: MOST_ROWS, events: numberText(MOST_ROWS) })}
        </span>
      </p>
    </>
  );
}

function Events({ filter }: { readonly filter: AuditFilter }) {
  const { t } = useTranslation();
  const list = useRef<HTMLUListElement>(null);
  const found = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) => readEvents(filter, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  if (found.data === undefined)
    return found.error === null ? <Loading /> : <ErrorCard error={found.error} onRetry={() => void found.refetch()} />;
  const events = found.data.pages.flatMap((page) => page.events);
  return (
    <>
      {events.length === 0 && <Empty>{t('admin.audit.none')}</Empty>}
      <ul className="cards" ref={list}>
        {events.map((event) => (
          <EventCard key={event.audit_guid} event={event} />
        ))}
      </ul>
      {found.error !== null && <ErrorCard error={found.error} />}
      <p className="actions">
        <MoreButton label={t('admin.audit.more')} query={found} list={list} />
      </p>
    </>
  );
}

function EventCard({ event }: { readonly event: AuditEvent }) {
  const { t } = useTranslation();
  const words = useEventWords();
  const named = words.event(event);
  const actor = actorOf(event);
  const about = event.subject?.email ?? event.subject?.user_guid;
  return (
    <li className="card">
      <div className="row">
        {named === undefined ? <code>{event.event}</code> : <strong>{named}</strong>}
        <span className="quiet">{momentText(event.recorded_at)}</span>
      </div>
      <p>
        {event.outcome === 'failure' && <span className="badge strong">{t('admin.audit.is.failure')}</span>}{' '}
        {actor === '' ? t('admin.audit.nobody') : t('admin.audit.by', { actor })}
        {about !== undefined && about !== null && about !== actor && ` · ${t('admin.audit.about', { about })}`}
      </p>
      {event.detail !== null && <p>{words.detail(event.detail)}</p>}
      <p className="quiet small">
        {named !== undefined && (
          <>
            <code>{event.event}</code>{' '}
          </>
        )}
        {event.address !== null && `${event.address} · `}
        {event.request_id !== null && <code>{event.request_id}</code>}
      </p>
    </li>
  );
}

/** Whole days of the reader. */
function filterOf({ user, event, outcome, since, until }: Chosen): AuditFilter {
  const known = oneOf(OUTCOMES, outcome);
  const from = startOfDay(since);
  const to = endOfDay(until);
  return {
    ...(user === undefined ? {} : { user_guid: user }),
    ...(event === undefined ? {} : { event: event.slice(0, 64) }),
    ...(known === undefined ? {} : { outcome: known }),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
  };
}
