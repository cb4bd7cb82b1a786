// Renders a form for a person: every kind of item, conditions, groups that repeat. It knows nothing of where the form
// comes from and where the answers go.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n/i18n.ts';
import { conditionsOf, type IsEnabled } from './conditions.ts';
import { emptyOccurrence, type Filled, occurrencesOf, pathOf, withOccurrences } from './filled.ts';
import { type FormItem, labelOf } from './form.ts';
import type { FormIssues } from './issues.ts';
import { Question } from './question.tsx';

interface FormViewProps {
  readonly items: readonly FormItem[];
  readonly filled: Filled;
  readonly issues: FormIssues;
  readonly isReadOnly: boolean;
  readonly onChange: (next: Filled) => void;
}

export function FormView({ items, filled, ...rest }: FormViewProps) {
  return <FormItems items={items} parent={filled} path="" isEnabled={conditionsOf(items, filled)} {...rest} />;
}

interface ItemsProps extends Omit<FormViewProps, 'filled'> {
  readonly parent: Filled;
  readonly path: string;
  readonly isEnabled: IsEnabled;
}

function FormItems({ items, parent, path, isEnabled, issues, isReadOnly, onChange }: ItemsProps) {
  return items.map((item) => {
    const enabled = isEnabled(path, item);
    const isShown = item.hidden !== true && (enabled || item.conditions?.when_disabled === 'protected');
    if (!isShown) return null;
    const occurrences = occurrencesOf(parent, item);
    const place = { isEnabled, path, issues, isReadOnly: isReadOnly || !enabled };
    const change = (index: number, next: Filled) =>
      onChange(withOccurrences(parent, item.link_id, occurrences.with(index, next)));
    if (item.type === 'display') return <p key={item.link_id}>{labelOf(item, currentLanguage())}</p>;
    if (item.type === 'group') {
      return (
        <Group
          key={item.link_id}
          item={item}
          occurrences={occurrences}
          {...place}
          onOccurrences={(next) => onChange(withOccurrences(parent, item.link_id, next))}
        />
      );
    }
    return occurrences.map((occurrence, index) => {
      const own = pathOf(path, item.link_id, index);
      return (
        <div key={own}>
          <Question
            item={item}
            id={own}
            answers={occurrence.answers}
            issue={issues.get(own)}
            isReadOnly={place.isReadOnly || item.read_only}
            onChange={(answers) => change(index, { ...occurrence, answers })}
          />
          {(item.items ?? []).length > 0 && (
            <FormItems
              items={item.items ?? []}
              parent={occurrence}
              {...place}
              path={own}
              onChange={(next) => change(index, next)}
            />
          )}
        </div>
      );
    });
  });
}

interface GroupProps extends Pick<ItemsProps, 'isEnabled' | 'path' | 'issues' | 'isReadOnly'> {
  readonly item: FormItem;
  readonly occurrences: readonly Filled[];
  readonly onOccurrences: (next: readonly Filled[]) => void;
}

function Group({ item, occurrences, isEnabled, path, issues, isReadOnly, onOccurrences }: GroupProps) {
  const { t } = useTranslation();
  const label = labelOf(item, currentLanguage());
  const isFull = occurrences.length >= (item.limits?.max_answers ?? Number.POSITIVE_INFINITY);
  return (
    <>
      {occurrences.map((occurrence, index) => (
        <fieldset key={pathOf(path, item.link_id, index)} className="group">
          <legend>{item.repeats ? t('form.occurrence', { label, number: index + 1 }) : label}</legend>
          <FormItems
            items={item.items ?? []}
            parent={occurrence}
            isEnabled={isEnabled}
            path={pathOf(path, item.link_id, index)}
            issues={issues}
            isReadOnly={isReadOnly}
            onChange={(next) => onOccurrences(occurrences.with(index, next))}
          />
          {item.repeats && !isReadOnly && occurrences.length > 1 && (
            <button
              type="button"
              className="plain-button"
              onClick={() => onOccurrences(occurrences.toSpliced(index, 1))}
            >
              {t('form.remove', { label, number: index + 1 })}
            </button>
          )}
        </fieldset>
      ))}
      {item.repeats && !isReadOnly && !isFull && (
        <p className="actions">
          <Button variant="default" onClick={() => onOccurrences([...occurrences, emptyOccurrence(item)])}>
            {t('form.add', { label })}
          </Button>
        </p>
      )}
    </>
  );
}
