// What is to be done, each with how often.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { PlanStep } from './care-plan.ts';
import { type Repeat, timingWords } from './timing.ts';

export interface StepListProps {
  readonly steps: readonly PlanStep[];
  /** What is said of when; how often when left out. */
  readonly words?: (repeat: Repeat | undefined, t: TFunction) => string | undefined;
}

export function StepList({ steps, words = timingWords }: StepListProps) {
  const { t } = useTranslation();
  return (
    <ul>
      {steps.map((step) => {
        const when = words(step.repeat, t);
        return (
          <li key={step.id + step.title}>
            {step.title}
            {when !== undefined && <span className="quiet"> – {when}</span>}
            {step.isOptional && <span className="quiet"> ({t('plan.optional')})</span>}
          </li>
        );
      })}
    </ul>
  );
}
