// A number on a scale: a slider between the least and the most, which has no answer until somebody moves it.
import { useTranslation } from 'react-i18next';
import { numberText } from '../../i18n/format.ts';
import type { Answer, FormItem } from '../form.ts';
import { numberIn } from '../issues.ts';
import { numberAnswer } from '../typed.ts';
import type { FieldProps } from './field-props.ts';
import { Notes, notesOf } from './notes.tsx';

export interface Scale {
  readonly least: number;
  readonly most: number;
  readonly step: number;
}

interface SliderFieldProps extends FieldProps {
  /** With what its ends mean. */
  readonly scale: Scale & { readonly lower: string | undefined; readonly upper: string | undefined };
  readonly answer: Answer | undefined;
  readonly onChange: (answers: readonly Answer[]) => void;
}

/** Undefined for a question that is not to have a slider, or cannot: it needs both ends, and one answer. */
export function scaleOf(item: FormItem): Scale | undefined {
  const { control, repeats, limits = {}, slider_step: given, units = [] } = item;
  const [least, most] = [numberIn(limits.min_value), numberIn(limits.max_value)];
  if (control !== 'slider' || repeats || units.length > 1) return undefined;
  if (least === undefined || most === undefined || least >= most) return undefined;
  const step = given ?? (item.type === 'integer' ? 1 : 10 ** -(limits.max_decimals ?? 1));
  return { least, most, step };
}

export function SliderField({ item, id, label, help, error, isReadOnly, scale, answer, onChange }: SliderFieldProps) {
  const { t } = useTranslation();
  const value = answer === undefined ? undefined : numberIn(Object.values(answer)[0]);
  const { least, most, step, lower, upper } = scale;
  const unit = item.units?.[0];
  const take = (text: string) => onChange([numberAnswer(item, text, unit)]);
  const shown =
    value === undefined ? t('form.notSet') : [numberText(value), ...(unit?.label ? [unit.label] : [])].join(' ');
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <Notes id={id} help={help} error={error} />
      <output htmlFor={id}>{shown}</output>
      <input
        id={id}
        className="slider"
        type="range"
        min={least}
        max={most}
        step={step}
        value={value ?? least}
        data-unset={value === undefined ? '' : undefined}
        disabled={isReadOnly}
        aria-valuetext={shown}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={notesOf({ id, help, error })}
        onChange={({ currentTarget }) => take(currentTarget.value)}
        // Its position is an answer, too, once somebody means it.
        onClick={({ currentTarget }) => value === undefined && take(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (value === undefined && (key === 'Enter' || key === ' ' || key === 'Home')) take(currentTarget.value);
        }}
      />
      <p className="ends quiet small">
        <span>{[numberText(least), ...(lower === undefined ? [] : [lower])].join(' – ')}</span>
        <span>{[numberText(most), ...(upper === undefined ? [] : [upper])].join(' – ')}</span>
      </p>
      {value !== undefined && !isReadOnly && (
        <button type="button" className="plain-button" onClick={() => onChange([])}>
          {t('form.unset')}
        </button>
      )}
    </div>
  );
}
