// The fields of a step, of a new one and of one that is changed.
import { useTranslation } from 'react-i18next';
import type { Repeat } from '../../clinical/timing.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { NamedConcept } from './named-concept.tsx';
import { TimingEditor } from './timing-editor.tsx';
import { UnitSelect } from './unit-select.tsx';

export interface StepForm {
  readonly name: string;
  readonly concept: string;
  readonly unit: string;
  readonly isRequired: boolean;
  /** Null where nobody said how often. */
  readonly timing: Repeat | null;
}

export const EMPTY_STEP: StepForm = {
  name: '',
  concept: '',
  unit: '',
  isRequired: true,
  timing: { frequency: 1, period: 1, periodUnit: 'd' },
};

export function isStepReady({ name, concept }: StepForm): boolean {
  return name.trim() !== '' && concept !== '';
}

interface StepFieldsProps {
  readonly form: StepForm;
  readonly onChange: (next: Partial<StepForm>) => void;
  /** The name of the concept that the step has. */
  readonly conceptName?: string;
}

export function StepFields({ form, onChange, conceptName }: StepFieldsProps) {
  const { t } = useTranslation();
  const { unit, isRequired, timing } = form;
  return (
    <>
      <div className="filters">
        <NamedConcept
          label={t('planner.activities.stepName')}
          form={form}
          conceptName={conceptName}
          onChange={onChange}
        />
        <UnitSelect value={unit} onChange={(guid) => onChange({ unit: guid })} />
      </div>
      <TimingEditor value={timing ?? {}} onChange={(next) => onChange({ timing: next })} />
      <CheckBox
        label={t('planner.activities.required')}
        isChecked={isRequired}
        onChange={(isChecked) => onChange({ isRequired: isChecked })}
      />
    </>
  );
}
