// All requests of one's organisations, by their stage. What is chosen is in the address.

import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { STAGES } from '../../../../services/dispatch/worklist/stage.ts';
import { engine, read } from '../../api/clients.ts';
import { Pager } from '../../app/pager.tsx';
import { numberText } from '../../i18n/format.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { useWorklist, type WorklistFilter } from '../queries.ts';
import { useRights } from '../rights.ts';
import { RequestList } from './request-list.tsx';

const PER_PAGE = 25;

export function RequestsPage() {
  const { t } = useTranslation();
  const { mayPlan } = useRights();
  const [filter, change] = useFilter();
  const page = filter.page ?? 1;
  const found = useWorklist({ ...filter, per_page: PER_PAGE });
  // Who does not plan has none.
  const boxes = [...(mayPlan ? (['mine'] as const) : []), ...(['undelivered', 'archived'] as const)];
  return (
    <Page title={t('planner.requests.title')}>
      <search className="filters">
        <FilterSelect
          label={t('planner.requests.stage')}
          values={STAGES}
          all={t('planner.requests.allStages')}
          textOf={(stage) =>
            found.data === undefined
              ? t(`planner.stage.${stage}`)
              : `${t(`planner.stage.${stage}`)} (${numberText(found.data.counts[stage])})`
          }
          chosen={filter.stage}
          onChoose={(stage) => change({ stage })}
        />
        <NativeSelect
          label={t('planner.requests.order')}
          value={filter.order ?? 'newest'}
          onChange={({ currentTarget }) => change({ order: currentTarget.value === 'oldest' ? 'oldest' : undefined })}
          data={[
            { value: 'newest', label: t('planner.requests.newest') },
            { value: 'oldest', label: t('planner.requests.oldest') },
          ]}
        />
        {boxes.map((name) => (
          <CheckBox
            key={name}
            label={t(`planner.requests.${name}`)}
            isChecked={filter[name] === true}
            onChange={(isChecked) => change({ [name]: isChecked || undefined })}
          />
        ))}
      </search>
      {filter.provider_guid !== undefined && (
        <ProviderNote guid={filter.provider_guid} onDrop={() => change({ provider_guid: undefined })} />
      )}
      <Loaded query={found}>
        {({ data, total }) => (
          <>
            <p className="quiet" role="status">
              {t('planner.requests.count', { count: total, shown: numberText(total) })}
            </p>
            {data.length === 0 ? (
              <Empty>{t(mayPlan ? 'planner.requests.none' : 'planner.requests.noneToRead')}</Empty>
            ) : (
              <RequestList items={data} />
            )}
            <Pager page={page} perPage={PER_PAGE} total={total} onPage={(next) => change({ page: next })} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface ProviderNoteProps {
  readonly guid: string;
  readonly onDrop: () => void;
}

/** Whose requests alone are shown, and the way back to all. */
function ProviderNote({ guid, onDrop }: ProviderNoteProps) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['provider', guid],
    queryFn: () => read(engine.GET('/api/v1/providers/{id}', { params: { path: { id: guid } } })),
  });
  return (
    <p className="note">
      {t('planner.requests.sentTo', { provider: data?.name ?? guid })}{' '}
      <button type="button" className="plain-button" onClick={onDrop}>
        {t('planner.requests.toAll')}
      </button>
    </p>
  );
}

type Change = { readonly [Name in keyof WorklistFilter]?: WorklistFilter[Name] | undefined };

/** The filter of the address, and how it is changed. A change begins at the first page again. */
function useFilter(): [WorklistFilter, (change: Change) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const stage = STAGES.find((each) => each === search['stage']);
  const page = Number(search['page']);
  const filter: WorklistFilter = {
    ...(stage === undefined ? {} : { stage }),
    ...(search['order'] === 'oldest' ? { order: 'oldest' } : {}),
    ...(search['mine'] === true ? { mine: true } : {}),
    ...(search['undelivered'] === true ? { undelivered: true } : {}),
    ...(search['archived'] === true ? { archived: true } : {}),
    ...(typeof search['provider_guid'] === 'string' ? { provider_guid: search['provider_guid'] } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
  const change = (next: Change) =>
    void navigate({ to: '/plan/requests', search: { ...filter, page: undefined, ...next } });
  return [filter, change];
}
