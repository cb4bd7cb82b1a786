// The tasks as a board: a column for each state of the work, what is due first.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../shell/loaded.tsx';
import { useTasks } from '../queries.ts';
import { TaskList } from './task-list.tsx';

const COLUMNS = ['received', 'accepted', 'in_progress', 'completed'] as const;
const MOST = 20;

export function Board({ isMine }: { readonly isMine: boolean }) {
  return (
    <div className="board">
      {COLUMNS.map((state) => (
        <Column key={state} state={state} isMine={isMine} />
      ))}
    </div>
  );
}

interface ColumnProps {
  readonly state: (typeof COLUMNS)[number];
  readonly isMine: boolean;
}

function Column({ state, isMine }: ColumnProps) {
  const { t } = useTranslation();
  const mine = isMine ? { mine: true } : {};
  // What is done is looked at by what was done last.
  const order = state === 'completed' ? 'received' : 'due';
  const found = useTasks({ status: state, order, per_page: MOST, ...mine });
  return (
    <section aria-labelledby={`column-${state}`}>
      <h2 id={`column-${state}`}>
        {t(`caregiver.state.${state}`)} {found.data !== undefined && `(${found.data.total})`}
      </h2>
      <Loaded query={found}>
        {({ data, total }) => (
          <>
            {data.length === 0 ? <p className="quiet">{t('caregiver.tasks.noneHere')}</p> : <TaskList tasks={data} />}
            {total > MOST && (
              <Link to="/care" search={{ status: state, ...mine }}>
                {t('caregiver.tasks.all', { count: total })}
              </Link>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
