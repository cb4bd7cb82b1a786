// What is to be done next with a request, at the top of its page: the act itself, or why there is none now and where
// what is waited for will be seen.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ServiceRequest } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { postJson } from '../../api/fhir.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { ReadyList } from './draft/ready-list.tsx';
import type { Next } from './moves.ts';
import type { SnapshotPlan } from './plan-definition.ts';
import { type Match, useRefresh } from './request-queries.ts';
import { MatchButton } from './sending/match-button.tsx';
import { PushForm } from './sending/push-form.tsx';

interface NextActProps {
  readonly id: string;
  readonly next: Next;
  readonly request: ServiceRequest;
  readonly plan: SnapshotPlan;
  /** Whether the plan could be read. */
  readonly isRead: boolean;
  readonly matches: readonly Match[];
}

/** Parts of the page where the rest is done or seen. */
const PARTS = {
  resend: 'recipients',
  relink: 'recipients',
  answer: 'questions',
  wait: 'recipients',
  work: 'results',
  read: 'results',
} as const satisfies Partial<Record<Next, string>>;

export function NextAct({ next, ...props }: NextActProps) {
  const { t } = useTranslation();
  return (
    <section className="card" aria-labelledby="next">
      <h2 id="next" tabIndex={-1}>
        {t('planner.next.title')}
      </h2>
      <Act next={next} {...props} />
    </section>
  );
}

function Act({ id, next, request, plan, isRead, matches }: NextActProps) {
  const { t } = useTranslation();
  switch (next) {
    case 'finalize':
      return <ReadyList id={id} request={request} plan={plan} isRead={isRead} />;
    case 'push':
      return <PushForm id={id} pending={matches.filter(({ status }) => status === 'pending')} />;
    case 'match':
    case 'matchAgain':
      return (
        <>
          <p>{t(`planner.next.${next}`)}</p>
          <MatchButton id={id} isFirst={next === 'match'} />
        </>
      );
    case 'resume':
      return <Resume id={id} />;
    case 'renew': {
      const patient = request.subject.reference?.replace('Patient/', '') ?? '';
      return (
        <p>
          {t('planner.next.renew')} <Link to={`/plan/patients/${patient}/plans`}>{t('planner.next.toPlans')}</Link>
        </p>
      );
    }
    default:
      return (
        <p>
          {t(`planner.next.${next}`)} <a href={`#${PARTS[next]}`}>{t(`planner.next.to.${PARTS[next]}`)}</a>
        </p>
      );
  }
}

function Resume({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const resume = useMutation({
    mutationFn: () => postJson(`/dispatch/api/v1/ServiceRequest/${id}/resume`, {}),
    onSuccess: useRefresh(id),
  });
  return (
    <>
      <p>{t('planner.next.resume')}</p>
      {resume.error !== null && <ErrorCard error={resume.error} />}
      <p className="actions">
        <Button loading={resume.isPending} onClick={() => resume.mutate()}>
          {t('planner.moves.resume')}
        </Button>
      </p>
    </>
  );
}
