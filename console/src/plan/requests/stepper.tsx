// The steps of a request. Each leads to the part of the page that is about it, and its address can be sent.
import { useTranslation } from 'react-i18next';
import { partOf, type Situation, STEPS, stepOf } from './moves.ts';

interface StepperProps {
  readonly situation: Situation;
  /** Why it was revoked, where somebody has said it. */
  readonly reason: string | undefined;
}

export function Stepper({ situation, reason }: StepperProps) {
  const { t } = useTranslation();
  const done = stepOf(situation);
  const end = (['revoked', 'on-hold'] as const).find((each) => each === situation.status);
  return (
    <nav aria-label={t('planner.request.steps')}>
      <ol className="steps">
        {STEPS.map((step, index) => (
          <li key={step} data-done={index < done ? '' : undefined}>
            <a href={`#${partOf(step, situation)}`} aria-current={index === done - 1 ? 'step' : undefined}>
              {t(`planner.request.step.${step}`)}
              <span className="visually-hidden">{index < done ? t('planner.request.stepDone') : ''}</span>
            </a>
          </li>
        ))}
      </ol>
      {end !== undefined && (
        <p className="note">
          {t(end === 'revoked' ? 'planner.request.isRevoked' : 'planner.request.isOnHold')}
          {reason !== undefined && ` ${t('planner.match.said', { text: reason })}`}
        </p>
      )}
      {situation.isArchived && <p className="note">{t('planner.request.isArchived')}</p>}
    </nav>
  );
}
