// One entry of the queue: who asks, for what, since when, and the two decisions.

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { momentText } from '../../i18n/format.ts';
import { nameOf } from '../person.ts';
import { useWords } from '../words.ts';
import { daysSince } from './effects.ts';
import type { Decision, Entry } from './queries.ts';

interface EntryCardProps {
  readonly entry: Entry;
  readonly isMarked: boolean;
  readonly onMark: (isMarked: boolean) => void;
  readonly onDecide: (decision: Decision) => void;
}

export function EntryCard({ entry, isMarked, onMark, onDecide }: EntryCardProps) {
  const { t } = useTranslation();
  const wish = useWish();
  const name = nameOf(entry);
  const days = daysSince(entry.created_at, Date.now());
  return (
    <li className="card">
      <div className="row">
        {entry.may_decide ? (
          <label className="mark">
            <input type="checkbox" checked={isMarked} onChange={({ currentTarget }) => onMark(currentTarget.checked)} />
            <strong>{name}</strong>
          </label>
        ) : (
          <strong>{name}</strong>
        )}
        <span className={days >= 7 ? 'badge strong' : 'badge'} title={momentText(entry.created_at)}>
          {days === 0 ? t('admin.queue.today') : t('admin.queue.waiting', { count: days })}
        </span>
      </div>
      <p className="quiet">
        {entry.email} · {t(`admin.kind.${entry.kind}`)}
        {entry.status === 'endorsed' && ` · ${t('admin.queue.endorsed')}`}
      </p>
      <p>{wish(entry)}</p>
      {entry.description !== null && <p className="quiet">{entry.description}</p>}
      {entry.chosen_leader_name !== null && entry.chosen_leader_name !== '' && (
        <p className="quiet">{t('admin.queue.leader', { name: entry.chosen_leader_name })}</p>
      )}
      {entry.may_decide ? (
        <p className="actions">
          <Button aria-label={t('admin.queue.approveOf', { name })} onClick={() => onDecide('approved')}>
            {t('admin.queue.approve')}
          </Button>
          <Button
            variant="default"
            aria-label={t('admin.queue.rejectOf', { name })}
            onClick={() => onDecide('rejected')}
          >
            {t('admin.queue.reject')}
          </Button>
        </p>
      ) : (
        <p className="quiet">{t('admin.queue.byAdministrator')}</p>
      )}
    </li>
  );
}

/** What somebody asks for, in a sentence. */
function useWish(): (entry: Entry) => string {
  const { t } = useTranslation();
  const { groupName, roleName, phaseNames } = useWords();
  return (entry) => {
    const group = groupName(entry.group_name ?? '', entry.group_type);
    if (entry.kind !== 'access_request') return t(`admin.wish.${entry.kind}`, { group });
    const values = { organisation: entry.organisation_name ?? '', role: roleName(entry.professional_role) };
    const phases = phaseNames(entry.requested_phases);
    return phases === ''
      ? t('admin.wish.access_request', values)
      : t('admin.wish.access_request_phases', { ...values, phases });
  };
}
