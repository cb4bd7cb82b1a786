// Requests in a list: for whom, what, the stage of each and since when.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { dayText } from '../../i18n/format.ts';
import { usePatientNames, type WorkItem } from '../queries.ts';

interface RequestListProps {
  readonly items: readonly WorkItem[];
  /** Whether the screen says whose they are. */
  readonly isOfOne?: boolean;
}

export function RequestList({ items, isOfOne = false }: RequestListProps) {
  const { t } = useTranslation();
  const nameBy = usePatientNames(isOfOne ? [] : items.map(({ patient }) => patient.reference));
  return (
    <ul className="cards">
      {items.map((item) => (
        <li key={item.service_request_id} className="card">
          <div className="row">
            <Link to={`/plan/requests/${item.service_request_id}`}>
              {!isOfOne && `${nameBy(item.patient.reference)}: `}
              {item.title ?? t('planner.request.untitled')}
            </Link>
            <span className={isPressing(item) ? 'badge strong' : 'badge'}>{t(`planner.stage.${item.stage}`)}</span>
          </div>
          <p className="quiet">
            {item.asked_at === null
              ? t('planner.request.changed', { day: dayText(item.updated_at) })
              : t('planner.request.asked', { count: item.matches.unanswered, day: dayText(item.asked_at) })}
          </p>
          {item.matches.undelivered > 0 && <p className="bad">{t('planner.request.undelivered')}</p>}
        </li>
      ))}
    </ul>
  );
}

function isPressing({ stage }: WorkItem): boolean {
  return stage === 'draft' || stage === 'to_send' || stage === 'refused';
}
