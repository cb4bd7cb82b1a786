// The provider's tasks, what is due first, as a list or as a board. What is chosen is in the address.
import { NativeSelect } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Pager } from '../../app/pager.tsx';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { STATES, type TaskFilter, useCounts, useTasks } from '../queries.ts';
import { Board } from './board.tsx';
import { TaskList } from './task-list.tsx';

const PER_PAGE = 25;

export function TasksPage() {
  const { t } = useTranslation();
  const [{ view, ...filter }, change] = useFilter();
  const { page = 1, ...unpaged } = filter;
  const query = { order: 'due', ...filter, ...(filter.status === undefined ? { open: true } : {}) } as const;
  const found = useTasks({ ...query, per_page: PER_PAGE });
  const { data: counts } = useCounts(filter.mine === true);
  const counted = (state: (typeof STATES)[number]) =>
    counts === undefined ? t(`caregiver.state.${state}`) : `${t(`caregiver.state.${state}`)} (${counts[state]})`;
  return (
    <Page title={t('caregiver.tasks.title')}>
      <nav className="tabs" aria-label={t('caregiver.tasks.view')}>
        <Link to="/care" search={view === 'list' ? filter : unpaged} activeOptions={{ exact: true }}>
          {t('caregiver.tasks.list')}
        </Link>
        <Link to="/care" search={{ ...unpaged, view: 'board' }} activeOptions={{ exact: true }}>
          {t('caregiver.tasks.board')}
        </Link>
      </nav>
      <search className="filters">
        {view === 'list' && (
          <>
            <FilterSelect
              label={t('caregiver.tasks.state')}
              values={STATES}
              all={t('caregiver.tasks.open')}
              textOf={(state) => counted(state)}
              chosen={filter.status}
              onChoose={(status) => change({ status })}
            />
            <NativeSelect
              label={t('caregiver.tasks.order')}
              value={filter.order ?? 'due'}
              onChange={({ currentTarget }) =>
                change({ order: currentTarget.value === 'received' ? 'received' : undefined })
              }
              data={[
                { value: 'due', label: t('caregiver.tasks.dueFirst') },
                { value: 'received', label: t('caregiver.tasks.newestFirst') },
              ]}
            />
          </>
        )}
        <CheckBox
          label={t('caregiver.tasks.mine')}
          isChecked={filter.mine === true}
          onChange={(isChecked) => change({ mine: isChecked || undefined })}
        />
      </search>
      {view === 'board' ? (
        <Board isMine={filter.mine === true} />
      ) : (
        <Loaded query={found}>
          {({ data, total }) => (
            <>
              <p className="quiet" role="status">
                {t('caregiver.tasks.count', { count: total })}
              </p>
              {data.length === 0 ? (
                <Empty>{t(filter.status === undefined ? 'caregiver.tasks.none' : 'caregiver.tasks.noneSuch')}</Empty>
              ) : (
                <TaskList tasks={data} />
              )}
              <Pager page={page} perPage={PER_PAGE} total={total} onPage={(next) => change({ page: next })} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

type Chosen = Pick<TaskFilter, 'status' | 'mine' | 'order' | 'page'>;
type Change = { readonly [Name in keyof Chosen]?: Chosen[Name] | undefined };

/** The filter of the address, and how it is changed. A change begins at the first page again. */
function useFilter(): [Chosen & { readonly view: 'list' | 'board' }, (change: Change) => void] {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const status = STATES.find((each) => each === search['status']);
  const page = Number(search['page']);
  const chosen: Chosen = {
    ...(status === undefined ? {} : { status }),
    ...(search['mine'] === true ? { mine: true } : {}),
    ...(search['order'] === 'received' ? { order: 'received' } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
  const view = search['view'] === 'board' ? 'board' : 'list';
  const change = (next: Change) =>
    void navigate({
      to: '/care',
      search: { ...chosen, page: undefined, ...(view === 'board' ? { view } : {}), ...next },
    });
  return [{ ...chosen, view }, change];
}
