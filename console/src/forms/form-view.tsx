// Renders a form for a person: every kind of item, conditions, groups that repeat. It knows nothing of where the form
// comes from and where the answers go.
import './forms.css';
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Variables } from '../../../fhir/forms/expressions/evaluator.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { conditionsOf, type IsEnabled } from './conditions.ts';
import { displaysOf, isBound } from './displays.ts';
import { useSolved } from './expressions/use-solved.ts';
import {
  emptyOccurrence,
  type Filled,
  occurrencesOf,
  pathOf,
  withAnswers,
  withinAnswer,
  withOccurrences,
  withWithinAnswer,
} from './filled.ts';
import { type FillableForm, type FormItem, isReadable } from './form.ts';
import { useIssueText } from './issue-text.ts';
import { askedOf, type FormIssues } from './issues.ts';
import { Links } from './links.tsx';
import { Pages, Tabs } from './parts/part-view.tsx';
import { type Part, pagesOf, tabsOf } from './parts/parts.ts';
import { fieldId } from './paths.ts';
import { fullLabel, Question } from './question.tsx';
import { ChoiceTable, isChoiceTable } from './tables/choice-table.tsx';
import { RemoveRow } from './tables/remove-row.tsx';
import { isRowsTable, RowsTable } from './tables/rows-table.tsx';
import { type NotEvaluated, notEvaluatedIn, noteOf } from './unevaluated.ts';

interface FormViewProps {
  readonly form: FillableForm;
  readonly filled: Filled;
  readonly issues: FormIssues;
  readonly isReadOnly: boolean;
  /** Resources by their names in the form's launch context; undefined while they are read. */
  readonly context: Variables | undefined;
  readonly onChange: (next: Filled) => void;
}

export function FormView({ form, filled, context, ...rest }: FormViewProps) {
  const solved = useSolved(form, filled, { ...rest, context });
  const { items } = form;
  const isEnabled = conditionsOf(items, solved);
  const pages = rest.isReadOnly ? undefined : shownParts(pagesOf(items), '', isEnabled);
  const unevaluated = useMemo(() => notEvaluatedIn(solved.solution), [solved.solution]);
  const shared = { parent: solved, path: '', isEnabled, unevaluated, ...rest };
  return (
    <div className="form-view">
      {pages === undefined ? (
        <FormItems items={items} {...shared} />
      ) : (
        <Pages parts={pages} path="" issues={rest.issues}>
          {(page) => <FormItems items={page.items} {...shared} />}
        </Pages>
      )}
    </div>
  );
}

/** Without parts in which nothing is shown now; undefined where one part alone is left. */
function shownParts(parts: readonly Part[] | undefined, path: string, isEnabled: IsEnabled) {
  const isShown = (item: FormItem) => isEnabled(path, item) || item.conditions?.when_disabled === 'protected';
  const shown = parts?.filter(({ items }) => items.some((item) => item.hidden !== true && isShown(item)));
  return shown === undefined || shown.length < 2 ? undefined : shown;
}

interface ItemsProps extends Omit<FormViewProps, 'form' | 'filled' | 'context'> {
  readonly items: readonly FormItem[];
  readonly parent: Filled;
  readonly path: string;
  readonly isEnabled: IsEnabled;
  readonly unevaluated: NotEvaluated;
}

function FormItems({ items, parent, path, isEnabled, unevaluated, issues, isReadOnly, onChange }: ItemsProps) {
  return items.map((given) => {
    const item = askedOf(given, path, unevaluated.excused);
    const enabled = isEnabled(path, item);
    const isShown = item.hidden !== true && (enabled || item.conditions?.when_disabled === 'protected');
    if (!isShown || isBound(item)) return null;
    const occurrences = occurrencesOf(parent, item);
    const place = { isEnabled, unevaluated, path, issues, isReadOnly: isReadOnly || !enabled };
    if (item.type === 'display') return <Display key={item.link_id} item={item} />;
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
    return occurrences.map((occurrence, index) => (
      <QuestionWithin
        key={pathOf(path, item.link_id, index)}
        item={item}
        occurrence={occurrence}
        {...place}
        onChange={(next) => onChange(withOccurrences(parent, item.link_id, occurrences.with(index, next)))}
      />
    ));
  });
}

function Display({ item }: { readonly item: FormItem }) {
  return (
    <>
      <p className="display">{fullLabel(item)}</p>
      <Links links={item.links} />
    </>
  );
}

interface QuestionWithinProps extends Pick<ItemsProps, 'isEnabled' | 'unevaluated' | 'path' | 'issues' | 'isReadOnly'> {
  readonly item: FormItem;
  readonly occurrence: Filled;
  readonly onChange: (next: Filled) => void;
}

/** A question, and what is within each of its answers. */
function QuestionWithin({ item, occurrence, path, onChange, ...place }: QuestionWithinProps) {
  const own = pathOf(path, item.link_id, 0);
  const inner = (item.items ?? []).filter((each) => !isBound(each));
  const { t } = useTranslation();
  const note = place.isReadOnly ? undefined : noteOf(item, path, place.unevaluated);
  const texts = inner.every(({ type }) => type === 'display') ? [undefined] : occurrence.answers;
  return (
    <div>
      <Question
        item={item}
        id={own}
        answers={occurrence.answers}
        issue={place.issues.get(own)}
        isReadOnly={place.isReadOnly || item.read_only}
        note={note && t(note)}
        onChange={(answers) => onChange(withAnswers(item, occurrence, answers))}
      />
      {inner.length > 0 &&
        texts.map((answer, index) =>
          answer !== undefined && !isReadable(answer) ? null : (
            <FormItems
              key={pathOf(path, item.link_id, index)}
              items={inner}
              parent={withinAnswer(item, occurrence, index)}
              {...place}
              path={pathOf(path, item.link_id, index)}
              onChange={(next) => onChange(withWithinAnswer(item, occurrence, index, next))}
            />
          ),
        )}
    </div>
  );
}

interface GroupProps extends Pick<ItemsProps, 'isEnabled' | 'unevaluated' | 'path' | 'issues' | 'isReadOnly'> {
  readonly item: FormItem;
  readonly occurrences: readonly Filled[];
  readonly onOccurrences: (next: readonly Filled[]) => void;
}

function Group({ item, occurrences, onOccurrences, ...place }: GroupProps) {
  const { path, issues, isReadOnly, unevaluated } = place;
  const { t } = useTranslation();
  const label = fullLabel(item);
  const issueText = useIssueText();
  const { help } = displaysOf(item, currentLanguage());
  const issue = issues.get(pathOf(path, item.link_id, 0));
  const isFull = occurrences.length >= (item.limits?.max_answers ?? Number.POSITIVE_INFINITY);
  const note = isReadOnly ? undefined : noteOf(item, path, unevaluated);
  const shared = { item, occurrences, ...place, onOccurrences };
  const notes = (
    <>
      {help !== undefined && <p className="quiet small">{help}</p>}
      {note !== undefined && <p className="quiet small">{t(note)}</p>}
      {issue !== undefined && (
        <p className="bad" id={fieldId(pathOf(path, item.link_id, 0))} tabIndex={-1}>
          {issueText(issue)}
        </p>
      )}
      <Links links={item.links} />
    </>
  );
  return (
    <>
      {isRowsTable(item) ? (
        <RowsTable {...shared} label={label} notes={notes} />
      ) : isChoiceTable(item) ? (
        <ChoiceTable {...shared} label={label} notes={notes} />
      ) : (
        occurrences.map((occurrence, index) => (
          <fieldset key={pathOf(path, item.link_id, index)} className="group">
            <legend>{item.repeats ? t('form.occurrence', { label, number: index + 1 }) : label}</legend>
            {index === 0 && notes}
            <GroupItems
              item={item}
              parent={occurrence}
              {...place}
              path={pathOf(path, item.link_id, index)}
              onChange={(next) => onOccurrences(occurrences.with(index, next))}
            />
            {item.repeats && !isReadOnly && occurrences.length > 1 && (
              <RemoveRow
                label={t('form.remove', { label, number: index + 1 })}
                onRemove={() => onOccurrences(occurrences.toSpliced(index, 1))}
              />
            )}
          </fieldset>
        ))
      )}
      {item.repeats && !isReadOnly && !isFull && (
        <p className="actions">
          <Button
            variant="default"
            onClick={() => onOccurrences([...occurrences, { ...emptyOccurrence(item), isNew: true }])}
          >
            {t('form.add', { label })}
          </Button>
        </p>
      )}
    </>
  );
}

/** The items of one occurrence of a group: below each other, or as tabs. */
function GroupItems({ item, ...rest }: Omit<ItemsProps, 'items'> & { readonly item: FormItem }) {
  const { path, issues, isEnabled, isReadOnly } = rest;
  const tabs = isReadOnly ? undefined : shownParts(tabsOf(item), path, isEnabled);
  if (tabs === undefined) return <FormItems items={item.items ?? []} {...rest} />;
  return (
    <Tabs parts={tabs} path={path} issues={issues}>
      {(tab) => <FormItems items={tab.items} {...rest} />}
    </Tabs>
  );
}
