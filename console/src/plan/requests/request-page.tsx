// A request on one page: its steps and the next act, what is asked for, the forms, to whom it goes, what they ask and
// what they report.
import { Link, useParams } from '@tanstack/react-router';
import type { ServiceRequest } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { AsJson } from '../../shared/as-json.tsx';
import { useFragment } from '../../shared/use-fragment.ts';
import { Loaded, LoadedScreen } from '../../shell/loaded.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Page } from '../../shell/page.tsx';
import { usePatientNamesQuery } from '../queries.ts';
import { useRights } from '../rights.ts';
import { DraftText } from './draft/draft-text.tsx';
import { FormsEditor } from './draft/forms-editor.tsx';
import { SnapshotJson } from './draft/snapshot-json.tsx';
import { MoveButtons } from './move-buttons.tsx';
import { isInWork, nextOf, type Situation } from './moves.ts';
import { NextAct } from './next-act.tsx';
import { planInSnapshot } from './plan-definition.ts';
import { PlanView } from './plan-view.tsx';
import { Questions } from './questions.tsx';
import { useMatches, useQuestions, useRequest, useSnapshot } from './request-queries.ts';
import { ResultsView } from './results-view.tsx';
import { Recipients } from './sending/recipients.tsx';
import { Stepper } from './stepper.tsx';

export function RequestPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <LoadedScreen query={useRequest(id)}>
      {(request) => <RequestView key={id} id={id} request={request} />}
    </LoadedScreen>
  );
}

interface RequestViewProps {
  readonly id: string;
  readonly request: ServiceRequest;
}

function RequestView({ id, request }: RequestViewProps) {
  const { t } = useTranslation();
  const isLive = request.status === 'active';
  const snapshot = useSnapshot(id);
  const matches = useMatches(id, isLive);
  const questions = useQuestions(id, isLive);
  const reference = request.subject.reference ?? '';
  const { names, isLoading: isNameLoading } = usePatientNamesQuery([reference]);
  const isDraft = request.status === 'draft';
  const found = matches.data?.data ?? [];
  const situation = {
    status: request.status,
    isArchived: request.meta?.tag?.some(({ code }) => code === 'archived') ?? false,
    matches: found,
  } satisfies Situation;
  const unanswered = (questions.data?.data ?? []).filter(
    ({ answer, request_guid: guid }) =>
      answer === null && found.some((match) => match.request_guid === guid && isInWork(match)),
  );
  const next = nextOf(situation, unanswered.length);
  const { mayPlan, mayReadResults } = useRights();
  const isOpen = mayPlan && isDraft && !situation.isArchived;
  const plan = planInSnapshot(snapshot.data?.snapshot.plan_definition);
  const targets = plan.goals.flatMap((goal) => goal.targets);
  const results = mayReadResults && <ResultsView id={id} isLive={isLive} targets={targets} />;
  // What is looked for is first.
  const isAnswered = situation.matches.some(({ status }) => status === 'accepted');
  // Until it is known what is asked for, and for whom, nothing is said of it.
  const isReading = snapshot.isLoading || matches.isLoading || questions.isLoading || isNameLoading;
  useFragment(!isReading);
  if (isReading) return <Loading />;
  const name = names.get(reference) ?? t('planner.somePatient');
  return (
    <Page title={plan.title || t('planner.request.untitled')}>
      <p>
        {t('planner.request.for')} <Link to={`/plan/patients/${reference.replace('Patient/', '')}`}>{name}</Link>
      </p>
      <Stepper situation={situation} reason={revokeReasonOf(request)} />
      {mayPlan && matches.data !== undefined && (
        <NextAct
          id={id}
          next={next}
          request={request}
          plan={plan}
          isRead={snapshot.data !== undefined}
          matches={found}
        />
      )}
      {isAnswered && results}
      <section className="card" aria-labelledby="what">
        <h2 id="what" tabIndex={-1}>
          {t('planner.request.what')}
        </h2>
        <Loaded query={snapshot}>
          {(found) => (
            <>
              <PlanView plan={plan} />
              <DraftText id={id} current={found} isOpen={isOpen} />
              {isOpen ? (
                <SnapshotJson id={id} current={found} />
              ) : (
                <AsJson label={t('planner.request.planJson')} value={found.snapshot} />
              )}
            </>
          )}
        </Loaded>
        <AsJson label={t('planner.request.wholeJson')} value={request} />
      </section>
      <FormsEditor id={id} isOpen={isOpen} />
      <Recipients id={id} query={matches} situation={situation} next={next} />
      <Questions id={id} isLive={isLive} matches={found} />
      {!isAnswered && results}
      {mayPlan && <MoveButtons id={id} situation={situation} />}
    </Page>
  );
}

/** The service notes it with its time; what the plan says beside it has none. */
function revokeReasonOf({ status, note = [] }: ServiceRequest): string | undefined {
  return status === 'revoked' ? note.findLast(({ time }) => time !== undefined)?.text : undefined;
}
