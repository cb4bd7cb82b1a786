// What is to be done, each with how often.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { PlanStep } from './care-plan.ts';
import { type Repeat, timingWords } from './timing.ts';

export interface StepListProps {
  readonly steps: readonly PlanStep[];
  /** What is said of when; how often when left out. */
  readonly words?: (repeat: Repeat | undefined, t: TFunction) => string | undefined;
  /** What is said of one that need not be done; what patients are told when left out. */
  readonly optional?: string;
}

export function StepList({ steps, words = timingWords, optional: said }: StepListProps) {
  const { t } = useTranslation();
  const optional = said ?? t('plan.optional');
  return (
    <ul>
      {steps.map((step) => {
        const when = words(step.repeat, t);
        return (
          <li key={step.id + step.title}>
            {step.title}
            {when !== undefined && <span className="quiet"> – {when}</span>}
            {step.isOptional && <span className="quiet"> ({optional})</span>}
          </li>
        );
      })}
    </ul>
  );
}
