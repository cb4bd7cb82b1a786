// One provider that was found: whether it was asked, what it answered, how the delivery went, and the link for a
// provider without a system.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import { momentText, numberText } from '../../../i18n/format.ts';
import { ScrollTable } from '../../../shared/scroll-table.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { useMe } from '../../../shell/me.ts';
import type { Match } from '../request-queries.ts';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { useMailCauseText, useReasonText } from './reason-text.ts';
import { ReceiptLink } from './receipt-link.tsx';
import { ResendButton } from './resend-button.tsx';

interface MatchCardProps {
  readonly id: string;
  readonly match: Match;
  readonly isOpen: boolean;
}

const STATES = ['pending', 'pushed', 'accepted', 'rejected', 'withdrawn', 'expired'] as const;
const PROGRESS = ['acknowledged', 'in_progress', 'completed', 'rejected'] as const;

export function MatchCard({ id, match, isOpen }: MatchCardProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const state = STATES.find((each) => each === match.status) ?? 'pending';
  const reported = PROGRESS.find((each) => each === match.progress);
  // Who has declined gives back nothing.
  const progress = state === 'rejected' && reported === 'rejected' ? undefined : reported;
  return (
    <li className="card">
      <div className="row">
        <h3>{match.provider_name}</h3>
        <span className={state === 'rejected' || state === 'expired' ? 'badge strong' : 'badge'}>
          {t(`planner.match.${state}`)}
        </span>
      </div>
      {match.blocked_reason !== undefined && (
        <p className="bad">{t('planner.match.blocked', { reason: reasonText(match.blocked_reason) })}</p>
      )}
      {match.withdrawn_reason !== undefined && <p>{reasonText(match.withdrawn_reason)}</p>}
      {match.rejected_reason !== undefined && <p>{t('planner.match.said', { text: match.rejected_reason })}</p>}
      {progress !== undefined && <p>{t(`planner.match.progress.${progress}`)}</p>}
      {match.progress_note !== undefined && <p>{t('planner.match.said', { text: match.progress_note })}</p>}
      <Moments match={match} />
      {match.delivery !== null && <Delivery id={id} match={match} delivery={match.delivery} />}
      {state === 'pushed' && match.link_mail !== undefined && <LinkMail mail={match.link_mail} />}
      {state === 'pushed' && isOpen && (
        <ReceiptLink id={id} matchGuid={match.match_guid} isNeeded={match.link_mail?.state === 'dead'} />
      )}
    </li>
  );
}

function Moments({ match }: { readonly match: Match }) {
  const { t } = useTranslation();
  const moments = [
    match.pushed_at !== undefined && t('planner.match.pushedAt', { moment: momentText(match.pushed_at) }),
    match.responded_at !== undefined && t('planner.match.respondedAt', { moment: momentText(match.responded_at) }),
    match.status === 'pushed' &&
      match.respond_by !== undefined &&
      t('planner.match.respondBy', { moment: momentText(match.respond_by) }),
    match.accepted_by?.name != null && t('planner.match.acceptedBy', { name: match.accepted_by.name }),
  ].filter((text) => text !== false);
  return moments.length === 0 ? null : <p className="quiet">{moments.join(' ')}</p>;
}

/** What became of the mail with the link, and why. */
function LinkMail({ mail }: { readonly mail: NonNullable<Match['link_mail']> }) {
  const { t } = useTranslation();
  const causeText = useMailCauseText();
  const { state, last_error: cause, next_at: next } = mail;
  const parts = [
    t(`planner.link.mail.${state}`),
    cause !== null && causeText(cause),
    next !== null && t('planner.delivery.next', { moment: momentText(next) }),
    state === 'dead' && t('planner.link.mail.again'),
  ].filter((text) => text !== false);
  return <p className={state === 'dead' ? 'bad' : undefined}>{parts.join(' ')}</p>;
}

interface DeliveryProps {
  readonly id: string;
  readonly match: Match;
  readonly delivery: NonNullable<Match['delivery']>;
}

function Delivery({ id, match, delivery }: DeliveryProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const [isOpen, setOpen] = useState(false);
  const mayResend = useMe().data?.is_su_admin ?? false;
  const { state, attempts, last_error: reason, next_at: next, delivered_at: delivered } = delivery;
  const parts = [
    t(`planner.delivery.${state}`),
    reason !== null && state !== 'delivered' && reasonText(reason),
    next !== null && t('planner.delivery.next', { moment: momentText(next) }),
    delivered !== null && t('planner.delivery.at', { moment: momentText(delivered) }),
    state === 'dead' && !mayResend && t('planner.delivery.resend'),
  ].filter((text) => text !== false);
  return (
    <>
      <p className={state === 'dead' ? 'bad' : undefined}>{parts.join(' ')}</p>
      {state === 'dead' && mayResend && <ResendButton id={id} requestGuid={match.request_guid ?? ''} />}
      {attempts > 0 && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{t('planner.delivery.attempts', { count: attempts })}</summary>
          {isOpen && <Attempts id={id} match={match} attempts={attempts} />}
        </details>
      )}
    </>
  );
}

interface AttemptsProps {
  readonly id: string;
  readonly match: Match;
  /** How many there are: with another one they are read again. */
  readonly attempts: number;
}

function Attempts({ id, match, attempts }: AttemptsProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const { match_guid: matchGuid } = match;
  const path = { id, match_guid: matchGuid };
  const found = useQuery({
    queryKey: ['attempts', matchGuid, attempts],
    queryFn: () =>
      read(
        dispatch.GET('/api/v1/ServiceRequest/{id}/matches/{match_guid}/attempts', {
          params: { path, query: { per_page: 200 } },
        }),
      ),
  });
  const label = t('planner.delivery.table');
  return (
    <Loaded query={found}>
      {({ data }) => (
        <>
          {data.length > 0 && <AttemptTimeline attempts={data} match={match} />}
          <ScrollTable
            label={label}
            head={[t('planner.delivery.when'), t('planner.delivery.took'), t('planner.delivery.outcome')]}
          >
            {data.map((attempt) => (
              <tr key={attempt.attempt}>
                <td>{momentText(attempt.started_at)}</td>
                <td>{attempt.duration_ms === null ? '…' : `${numberText(attempt.duration_ms)} ms`}</td>
                <td>
                  {attempt.outcome === 'delivered'
                    ? t('planner.delivery.delivered')
                    : reasonText(attempt.outcome ?? '')}
                  {attempt.http_status !== null && ` (${attempt.http_status})`}
                </td>
              </tr>
            ))}
          </ScrollTable>
        </>
      )}
    </Loaded>
  );
}
