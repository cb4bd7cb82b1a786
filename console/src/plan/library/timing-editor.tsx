// How often something is done: so many times in a period, on which days, and when in the day. The words below are those
// that everybody will read.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DAYS, type Repeat, timingWords } from '../../clinical/timing.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';

interface TimingEditorProps {
  readonly value: Repeat;
  readonly onChange: (next: Repeat) => void;
}

const UNITS = ['d', 'wk', 'mo', 'a'] as const;
const MOMENTS = ['MORN', 'NOON', 'AFT', 'EVE', 'NIGHT'] as const;
const MOST = 99;

export function TimingEditor({ value, onChange }: TimingEditorProps) {
  const { t } = useTranslation();
  const { frequency = 1, period = 1, periodUnit = 'd', dayOfWeek = [], when = [] } = value;
  const [moment = ''] = when;
  const days = DAYS.filter((day) => dayOfWeek.includes(day));
  const whole = (typed: string) => Math.min(MOST, Math.max(1, Math.round(Number(typed)) || 1));
  const change = (next: Repeat) => onChange(cleaned({ frequency, period, periodUnit, dayOfWeek, when, ...next }));
  return (
    <fieldset>
      <legend>{t('planner.timing.title')}</legend>
      <div className="filters">
        <TextInput
          type="number"
          min={1}
          max={MOST}
          label={t('planner.timing.times')}
          value={String(frequency)}
          onChange={({ currentTarget }) => change({ frequency: whole(currentTarget.value) })}
        />
        <TextInput
          type="number"
          min={1}
          max={MOST}
          label={t('planner.timing.every')}
          value={String(period)}
          onChange={({ currentTarget }) => change({ period: whole(currentTarget.value) })}
        />
        <NativeSelect
          label={t('planner.timing.unit')}
          value={periodUnit}
          onChange={({ currentTarget }) => change({ periodUnit: currentTarget.value })}
          data={UNITS.map((unit) => ({ value: unit, label: t(`planner.timing.units.${unit}`) }))}
        />
        <NativeSelect
          label={t('planner.timing.moment')}
          value={moment}
          onChange={({ currentTarget }) => change({ when: currentTarget.value === '' ? [] : [currentTarget.value] })}
          data={[
            { value: '', label: t('planner.timing.anyMoment') },
            ...MOMENTS.map((each) => ({ value: each, label: t(`timing.when.${each}`) })),
          ]}
        />
      </div>
      {periodUnit === 'wk' && (
        <div className="filters">
          {DAYS.map((day) => (
            <CheckBox
              key={day}
              label={t(`day.${day}`)}
              isChecked={days.includes(day)}
              onChange={(isChecked) =>
                change({ dayOfWeek: DAYS.filter((each) => (each === day ? isChecked : days.includes(each))) })
              }
            />
          ))}
        </div>
      )}
      <p className="note" role="status">
        {timingWords(value, t)}
      </p>
    </fieldset>
  );
}

/** Days of the week belong to weeks, and empty lists are left out. */
function cleaned({ dayOfWeek = [], when = [], ...rest }: Repeat): Repeat {
  return {
    ...rest,
    ...(rest.periodUnit === 'wk' && dayOfWeek.length > 0 ? { dayOfWeek } : {}),
    ...(when.length > 0 ? { when } : {}),
  };
}
