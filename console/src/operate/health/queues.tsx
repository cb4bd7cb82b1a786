// What waits on its way to somebody else, what was given up, and jobs that run in the background.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../i18n/format.ts';
import { ScrollTable } from '../../shared/scroll-table.tsx';
import { Empty } from '../../shell/page.tsx';
import { durationText } from '../units.ts';
import { jobKey } from './job-key.ts';
import type { DispatchStatus, EngineHealth, EngineStatus, IdentityStatus } from './state.ts';

interface QueuesProps {
  readonly identity: IdentityStatus | undefined;
  readonly dispatch: DispatchStatus | undefined;
  readonly health: EngineHealth | undefined;
}

interface Row {
  readonly name: 'deliveries' | 'results' | 'calls' | 'mailsOfDispatch' | 'mailsOfIdentity';
  readonly waiting: number;
  readonly oldest: number;
  /** Undefined where nothing is given up. */
  readonly dead: number | undefined;
}

export function Queues({ identity, dispatch, health }: QueuesProps) {
  const { t } = useTranslation();
  const rows = rowsOf({ identity, dispatch, health });
  const label = t('operate.health.queues');
  return (
    <ScrollTable
      label={label}
      head={[t('operate.queue.name'), t('operate.queue.waiting'), t('operate.queue.oldest'), t('operate.queue.dead')]}
    >
      {rows.map(({ name, waiting, oldest, dead }) => (
        <tr key={name}>
          <th scope="row">{t(`operate.queue.${name}`)}</th>
          <td>{numberText(waiting)}</td>
          <td>{waiting === 0 ? '–' : durationText(oldest, t)}</td>
          <td className={dead !== undefined && dead > 0 ? 'bad' : undefined}>
            {name === 'deliveries' && dead !== undefined && dead > 0 ? (
              <Link to="/admin/letters">{numberText(dead)}</Link>
            ) : dead === undefined ? (
              '–'
            ) : (
              numberText(dead)
            )}
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}

function rowsOf({ identity, dispatch, health }: QueuesProps): readonly Row[] {
  const of = (name: Row['name'], queue?: { waiting: number; dead: number; oldest_s: number }): Row[] =>
    queue === undefined ? [] : [{ name, waiting: queue.waiting, oldest: queue.oldest_s, dead: queue.dead }];
  const calls = health?.checks.queue;
  return [
    ...of('deliveries', dispatch?.deliveries),
    ...of('results', dispatch?.results),
    ...(calls === undefined
      ? []
      : [{ name: 'calls' as const, waiting: calls.waiting ?? 0, oldest: calls.oldest_s ?? 0, dead: undefined }]),
    ...of('mailsOfDispatch', dispatch?.mails),
    ...of('mailsOfIdentity', identity?.mails),
  ];
}

const STATES = ['receiving', 'running', 'stopped', 'done', 'failed', 'cancelled'] as const;

export function JobList({ jobs }: { readonly jobs: EngineStatus['jobs'] }) {
  const { t } = useTranslation();
  if (jobs.length === 0) {
    return (
      <Empty>
        {t('operate.job.none')} <Link to="/operate/bulk">{t('operate.job.start')}</Link>
      </Empty>
    );
  }
  return (
    <ul>
      {jobs.map(({ kind, state, count }) => {
        const known = STATES.find((each) => each === state);
        return (
          <li key={`${kind} ${state}`}>
            {t(`operate.job.${jobKey(kind)}`)}: {numberText(count)}{' '}
            {known === undefined ? state : t(`operate.jobState.${known}`)}
          </li>
        );
      })}
    </ul>
  );
}
