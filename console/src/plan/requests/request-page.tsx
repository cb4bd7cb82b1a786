// A request on one page: what is asked for, the forms, to whom it goes, what they ask and what they report.
import { Link, useParams } from '@tanstack/react-router';
import type { ServiceRequest } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { AsJson } from '../../shared/as-json.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Page } from '../../shell/page.tsx';
import { usePatientNamesQuery } from '../queries.ts';
import { DraftText } from './draft/draft-text.tsx';
import { FormsEditor } from './draft/forms-editor.tsx';
import { ReadyList } from './draft/ready-list.tsx';
import { SnapshotJson } from './draft/snapshot-json.tsx';
import { MoveButtons } from './move-buttons.tsx';
import { type Situation, STEPS, stepOf } from './moves.ts';
import { planInSnapshot } from './plan-definition.ts';
import { PlanView } from './plan-view.tsx';
import { Questions } from './questions.tsx';
import { useMatches, useRequest, useSnapshot } from './request-queries.ts';
import { ResultsView } from './results-view.tsx';
import { Recipients } from './sending/recipients.tsx';

export function RequestPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return <Loaded query={useRequest(id)}>{(request) => <RequestView key={id} id={id} request={request} />}</Loaded>;
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
  const reference = request.subject.reference ?? '';
  const { names, isLoading: isNameLoading } = usePatientNamesQuery([reference]);
  const isDraft = request.status === 'draft';
  const situation: Situation = {
    status: request.status,
    isArchived: request.meta?.tag?.some(({ code }) => code === 'archived') ?? false,
    matches: matches.data?.data ?? [],
  };
  const isOpen = isDraft && !situation.isArchived;
  const plan = planInSnapshot(snapshot.data?.snapshot.plan_definition);
  const targets = plan.goals.flatMap((goal) => goal.targets);
  const results = isDraft ? null : <ResultsView id={id} isLive={isLive} targets={targets} />;
  // What is looked for is first.
  const isAnswered = situation.matches.some(({ status }) => status === 'accepted');
  // Until it is known what is asked for, and for whom, nothing is said of it.
  if (snapshot.isLoading || matches.isLoading || isNameLoading) return <Loading />;
  const name = names.get(reference) ?? t('planner.somePatient');
  return (
    <Page title={plan.title || t('planner.request.untitled')}>
      <p>
        {t('planner.request.for')} <Link to={`/plan/patients/${reference.replace('Patient/', '')}`}>{name}</Link>
      </p>
      <Stepper situation={situation} />
      {isAnswered && results}
      <section className="card" aria-labelledby="what">
        <h2 id="what">{t('planner.request.what')}</h2>
        <Loaded query={snapshot}>
          {({ snapshot: found, etag }) => (
            <>
              <PlanView plan={plan} />
              <DraftText id={id} snapshot={found} etag={etag} isOpen={isOpen} />
              {isOpen ? (
                <SnapshotJson id={id} snapshot={found} etag={etag} />
              ) : (
                <AsJson label={t('planner.request.planJson')} value={found} />
              )}
            </>
          )}
        </Loaded>
        <AsJson label={t('planner.request.wholeJson')} value={request} />
      </section>
      <FormsEditor id={id} isOpen={isOpen} />
      {isOpen && <ReadyList id={id} request={request} plan={plan} isRead={snapshot.data !== undefined} />}
      {!isDraft && <Recipients id={id} query={matches} situation={situation} />}
      {!isDraft && <Questions id={id} isLive={isLive} matches={matches.data?.data ?? []} />}
      {!isAnswered && results}
      <MoveButtons id={id} situation={situation} />
    </Page>
  );
}

function Stepper({ situation }: { readonly situation: Situation }) {
  const { t } = useTranslation();
  const done = stepOf(situation);
  const end = (['revoked', 'on-hold'] as const).find((each) => each === situation.status);
  return (
    <>
      <ol className="steps" aria-label={t('planner.request.steps')}>
        {STEPS.map((step, index) => (
          <li
            key={step}
            data-done={index < done ? '' : undefined}
            aria-current={index === done - 1 ? 'step' : undefined}
          >
            {t(`planner.request.step.${step}`)}
            <span className="visually-hidden">{index < done ? t('planner.request.stepDone') : ''}</span>
          </li>
        ))}
      </ol>
      {end !== undefined && (
        <p className="note">{t(end === 'revoked' ? 'planner.request.isRevoked' : 'planner.request.isOnHold')}</p>
      )}
      {situation.isArchived && <p className="note">{t('planner.request.isArchived')}</p>}
    </>
  );
}
