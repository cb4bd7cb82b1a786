// Who has read a patient's data, in words, the newest first: for the patient, and for who reviews it. Alike entries of
// a day are one row, which opens to their times; the file has each.
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../api/clients.ts';
import { saveFile } from '../api/download.ts';
import { MoreButton } from '../app/more-button.tsx';
import { dayText, momentText, timeText } from '../i18n/format.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { instantOf } from '../i18n/instant.ts';
import { CheckBox } from '../shared/fields/check-box.tsx';
import { ErrorCard } from '../shell/error-card.tsx';
import { Loading } from '../shell/loading.tsx';
import { Empty } from '../shell/page.tsx';
import { groupsOf, type LogEntry, type LogGroup } from './log-groups.ts';

/** Where most of a page is hidden, the next ones are read by themselves. */
const FEWEST_ROWS = 20;
const MOST_PAGES = 10;

/** Which entries: within a period, of a unit, of a person. */
export interface LogFilter {
  readonly since?: string;
  readonly until?: string;
  readonly unit?: string;
  readonly person?: string;
}

const ALL: LogFilter = {};

interface AccessLogProps {
  /** Whose; the reader's own when left out. */
  readonly patient?: string;
  readonly filter?: LogFilter;
  /** Said where nobody has looked. */
  readonly none: string;
}

export function AccessLog({ patient, filter = ALL, none }: AccessLogProps) {
  const { t } = useTranslation();
  const lang = currentLanguage();
  const asked = { ...filter, ...(patient === undefined ? {} : { patient }) };
  const log = useInfiniteQuery({
    queryKey: ['access-log', patient ?? 'own', lang, filter],
    queryFn: ({ pageParam: cursor }) =>
      read(
        engine.GET('/api/v1/access-log', {
          params: { query: { lang, ...asked, ...(cursor === '' ? {} : { cursor }) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const save = useMutation({
    mutationFn: () =>
      saveFile(
        `/engine/api/v1/access-log/export?${new URLSearchParams({ format: 'csv', lang, ...asked })}`,
        `${t('log.file')}.csv`,
      ),
  });
  const [showsOwn, setShowsOwn] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const shown = log.data?.pages
    .flatMap(({ data }) => data)
    .filter(({ who }) => showsOwn || patient !== undefined || !isOwn(who));
  const rows = shown === undefined ? undefined : groupsOf(shown, dayText);
  const { hasNextPage, isFetching, fetchNextPage } = log;
  const isShort = rows !== undefined && rows.length < FEWEST_ROWS && (log.data?.pages.length ?? 0) < MOST_PAGES;
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, fetchNextPage]);
  return (
    <>
      {patient === undefined && <CheckBox label={t('log.own')} isChecked={showsOwn} onChange={setShowsOwn} />}
      {log.error !== null && <ErrorCard error={log.error} onRetry={() => void log.refetch()} />}
      {rows === undefined && log.error === null && <Loading />}
      {rows?.length === 0 && !isFetching && <Empty>{none}</Empty>}
      <ul className="cards" ref={list}>
        {rows?.map((group) => (
          <Row key={group.newest.event_guid} group={group} />
        ))}
      </ul>
      {save.error !== null && <ErrorCard error={save.error} />}
      <p className="actions">
        <MoreButton label={t('log.more')} query={log} list={list} />
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {t('log.save')}
        </Button>
      </p>
    </>
  );
}

function Row({ group: { newest, times } }: { readonly group: LogGroup<LogEntry> }) {
  const { t } = useTranslation();
  const { who, what, at, outcome } = newest;
  return (
    <li className="card">
      <div className="row">
        <strong>{who.name ?? who.unit ?? who.role}</strong>
        <span className="quiet">{times.length === 1 ? momentText(at) : dayText(at)}</span>
      </div>
      <p>{what}</p>
      <p className="quiet">{restOf(who)}</p>
      {outcome === 'refused' && <p className="bad">{t('log.refused')}</p>}
      {times.length > 1 && (
        <details>
          <summary>{t('log.times', { count: times.length })}</summary>
          <p>{times.map((each) => timeText(instantOf(each))).join(', ')}</p>
        </details>
      )}
    </li>
  );
}

/** One's own reads would hide those of others. They have neither a name nor a unit. */
function isOwn({ name, unit, role, for: patient }: Who): boolean {
  return name === null && unit === null && patient === undefined && role === 'patient';
}

type Who = LogEntry['who'];

/** What is known of somebody beside the words of the heading. */
function restOf({ name, role, unit }: Who): string {
  if (name !== null) return [role, ...(unit === null ? [] : [unit])].join(', ');
  return unit === null ? '' : role;
}
