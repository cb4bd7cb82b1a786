// Everything that waits for a decision, what has waited longest first. One entry or many are decided at once.
import { Button, NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKept } from '../../app/use-kept.ts';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { ListPager } from '../../shared/paged-list.tsx';
import { type Chosen, oneOf, pageIn, useAddress } from '../../shared/use-address.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { SearchForm } from '../search-form.tsx';
import { DecisionDialog } from './decision-dialog.tsx';
import { EntryCard } from './entry-card.tsx';
import { type Decision, type Entry, KINDS, PER_PAGE, type QueueFilter, useQueue } from './queries.ts';

const AGES = ['1', '3', '7', '30'] as const;

interface Asking {
  readonly decision: Decision;
  readonly entries: readonly Entry[];
}

export function QueuePage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const [marked, setMarked] = useMarked();
  const [asking, setAsking] = useState<Asking>();
  const [done, setDone] = useState('');
  const filter = filterOf(chosen);
  const found = useQueue(filter);
  const counts = found.data?.counts;
  return (
    <Page title={t('admin.queue.title')}>
      <search className="filters">
        <FilterSelect
          label={t('admin.queue.kind')}
          values={KINDS}
          all={t('admin.queue.allKinds')}
          textOf={(kind) =>
            counts === undefined ? t(`admin.kind.${kind}`) : `${t(`admin.kind.${kind}`)} (${counts[kind]})`
          }
          chosen={filter.kind}
          onChoose={(kind) => change({ kind })}
        />
        <FilterSelect
          label={t('admin.queue.age')}
          values={AGES}
          all={t('admin.queue.anyAge')}
          textOf={(days) => t('admin.queue.days', { count: Number(days) })}
          chosen={oneOf(AGES, chosen['days'])}
          onChoose={(days) => change({ days })}
        />
        <NativeSelect
          label={t('admin.queue.order')}
          value={filter.order ?? 'oldest'}
          onChange={({ currentTarget }) =>
            change({ order: currentTarget.value === 'newest' ? currentTarget.value : undefined })
          }
          data={[
            { value: 'oldest', label: t('admin.queue.oldest') },
            { value: 'newest', label: t('admin.queue.newest') },
          ]}
        />
        <SearchForm
          label={t('admin.queue.search')}
          button={t('admin.search')}
          value={filter.search ?? ''}
          onSearch={(q) => change({ q })}
        />
      </search>
      <p role="status" className={done === '' ? 'visually-hidden' : 'note'}>
        {done}
      </p>
      <Loaded query={found}>
        {({ data, total }) => {
          const decidable = data.filter((entry) => entry.may_decide);
          const picked = decidable.filter(({ guid }) => marked.has(guid));
          const isAll = picked.length === decidable.length;
          if (total === 0) return <NothingWaits isFiltered={Object.keys(filter).length > 0} />;
          return (
            <>
              <div className="row">
                <p className="quiet">{t('admin.queue.count', { count: total })}</p>
                {decidable.length > 1 && (
                  <button
                    type="button"
                    className="plain-button"
                    onClick={() => setMarked(new Set(isAll ? [] : decidable.map(({ guid }) => guid)))}
                  >
                    {t(isAll ? 'admin.queue.markNone' : 'admin.queue.markAll')}
                  </button>
                )}
              </div>
              <ul className="cards">
                {data.map((entry) => (
                  <EntryCard
                    key={entry.guid}
                    entry={entry}
                    isMarked={marked.has(entry.guid)}
                    onMark={(isMarked) => setMarked(withMark(marked, entry.guid, isMarked))}
                    onDecide={(decision) => setAsking({ decision, entries: [entry] })}
                  />
                ))}
              </ul>
              {picked.length > 0 && (
                <div className="work-bar">
                  <span>{t('admin.queue.marked', { count: picked.length })}</span>
                  <Button onClick={() => setAsking({ decision: 'approved', entries: picked })}>
                    {t('admin.queue.approveMarked')}
                  </Button>
                  <Button variant="default" onClick={() => setAsking({ decision: 'rejected', entries: picked })}>
                    {t('admin.queue.rejectMarked')}
                  </Button>
                </div>
              )}
              <ListPager perPage={PER_PAGE} total={total} />
            </>
          );
        }}
      </Loaded>
      {asking !== undefined && (
        <DecisionDialog
          {...asking}
          onDone={(count) => {
            setDone(t(`admin.decided.${asking.decision}`, { count }));
            setMarked(new Set());
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </Page>
  );
}

/** The guids that are marked; they outlive a reload. */
function useMarked(): [ReadonlySet<string>, (marked: ReadonlySet<string>) => void] {
  const [text, setText] = useKept('queue-marked', '');
  return [new Set(text === '' ? [] : text.split(' ')), (marked) => setText([...marked].join(' '))];
}

function withMark(marked: ReadonlySet<string>, guid: string, isMarked: boolean): ReadonlySet<string> {
  const next = new Set(marked);
  if (isMarked) next.add(guid);
  else next.delete(guid);
  return next;
}

function filterOf(chosen: Chosen): QueueFilter {
  const { q, kind, days, order } = chosen;
  const known = oneOf(KINDS, kind);
  const age = oneOf(AGES, days);
  const page = pageIn(chosen);
  return {
    ...(known === undefined ? {} : { kind: known }),
    ...(q === undefined ? {} : { search: q.slice(0, 200) }),
    ...(age === undefined ? {} : { min_days: Number(age) }),
    ...(order === 'newest' ? { order } : {}),
    ...(page > 1 ? { page } : {}),
  };
}

function NothingWaits({ isFiltered }: { readonly isFiltered: boolean }) {
  const { t } = useTranslation();
  return (
    <Empty>
      {isFiltered ? t('admin.queue.noneSuch') : t('admin.queue.none')}{' '}
      {isFiltered ? (
        <Link to="/admin">{t('admin.queue.showAll')}</Link>
      ) : (
        <Link to="/admin/groups">{t('admin.queue.toGroups')}</Link>
      )}
    </Empty>
  );
}
