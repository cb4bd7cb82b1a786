// The answers to choose among: written here, in order, or from a code list of the library.
import { Button, TextInput } from '@mantine/core';
import type { QuestionnaireItemAnswerOption } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../../shared/fields/check-box.tsx';
import { moved, OrderButtons } from '../../order-buttons.tsx';
import { useBuilder, useIssue } from '../builder-context.ts';
import { extensionsOf, translationOf, withExtension, withTranslation } from '../model/extensions.ts';
import { withSelected } from '../model/initial.ts';
import { newOption } from '../model/kinds.ts';
import type { Item } from '../model/tree.ts';
import { CodeListField } from './code-list-field.tsx';

type Option = QuestionnaireItemAnswerOption;

export function OptionFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const isListed = item.answerValueSet === undefined;
  const choose = (isOwn: boolean) =>
    draft.changeItem(item.linkId, ({ answerOption: _, answerValueSet: _set, initial: _initial, ...each }) =>
      isOwn ? { ...each, answerOption: [newOption(), newOption()] } : { ...each, answerValueSet: '' },
    );
  return (
    <>
      <fieldset className="field">
        <legend>{t('formBuilder.field.source')}</legend>
        {([true, false] as const).map((isOwn) => (
          <label key={String(isOwn)} className="choice">
            <input
              type="radio"
              name={`source-${item.linkId}`}
              checked={isListed === isOwn}
              onChange={() => choose(isOwn)}
            />
            {t(isOwn ? 'formBuilder.field.ownAnswers' : 'formBuilder.field.codeList')}
          </label>
        ))}
      </fieldset>
      {isListed ? <OwnOptions item={item} /> : <CodeListField item={item} />}
      <CheckBox
        label={t('formBuilder.field.otherAnswer')}
        isChecked={item.answerConstraint === 'optionsOrString'}
        onChange={(isOn) =>
          draft.changeItem(item.linkId, ({ answerConstraint: _, ...each }) => ({
            ...each,
            ...(isOn ? { answerConstraint: 'optionsOrString' as const } : {}),
          }))
        }
      />
    </>
  );
}

function OwnOptions({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const options = item.answerOption ?? [];
  const set = (next: readonly Option[], typing?: string) =>
    draft.changeItem(item.linkId, (each) => ({ ...each, answerOption: [...next] }), typing);
  const add = () => {
    set([...options, newOption()]);
    requestAnimationFrame(() => document.getElementById(optionId(item, options.length))?.focus());
  };
  const issue = useIssue(item.linkId, 'options');
  return (
    <fieldset className="field">
      <legend>{t('formBuilder.field.answers')}</legend>
      {issue !== undefined && <p className="bad">{issue}</p>}
      <ol className="options">
        {options.map((option, index) => (
          <OptionRow
            key={option.valueCoding?.code ?? index}
            item={item}
            index={index}
            option={option}
            onChange={(next, typing) => set(options.with(index, next), typing)}
            onRemove={() => set(options.toSpliced(index, 1))}
            onMove={(by) => set(moved(options, index, by))}
            onEnter={add}
          />
        ))}
      </ol>
      <p className="actions">
        <Button variant="default" onClick={add}>
          {t('formBuilder.field.addAnswer')}
        </Button>
      </p>
    </fieldset>
  );
}

function optionId({ linkId }: Item, index: number): string {
  return `option-${linkId}-${index}`;
}

interface OptionRowProps {
  readonly item: Item;
  readonly index: number;
  readonly option: Option;
  readonly onChange: (next: Option, typing?: string) => void;
  readonly onRemove: () => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onEnter: () => void;
}

function OptionRow({ item, index, option, onChange, onRemove, onMove, onEnter }: OptionRowProps) {
  const { t } = useTranslation();
  const { draft, other } = useBuilder();
  const issue = useIssue(item.linkId, `option.${index}`);
  const label = t('formBuilder.field.answer', { number: index + 1 });
  const { valueCoding: coding } = option;
  // Answers of another kind were made elsewhere, and stay.
  if (coding === undefined)
    return <li>{String(option.valueString ?? option.valueInteger ?? option.valueDate ?? '')}</li>;
  const typing = `${item.linkId}.option.${coding.code ?? index}`;
  const isExclusive = extensionsOf(option, 'questionnaire-optionExclusive').length > 0;
  return (
    <li>
      <div className="option-row">
        <TextInput
          id={optionId(item, index)}
          aria-label={label}
          error={issue}
          maxLength={500}
          value={coding.display ?? coding.code ?? ''}
          onChange={({ currentTarget }) =>
            onChange({ ...option, valueCoding: { ...coding, display: currentTarget.value } }, typing)
          }
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            onEnter();
          }}
        />
        <span className="order-buttons">
          <OrderButtons
            title={coding.display || label}
            isFirst={index === 0}
            isLast={index === (item.answerOption ?? []).length - 1}
            onMove={onMove}
          />
          <button
            type="button"
            className="plain-button"
            aria-label={t('formBuilder.field.removeAnswer', { number: index + 1 })}
            onClick={onRemove}
          >
            ✕
          </button>
        </span>
      </div>
      {other !== undefined && (
        <TextInput
          aria-label={t('formBuilder.inLanguage', { label, language: t(`formBuilder.language.${other}`) })}
          placeholder={t('formBuilder.inLanguage', { label, language: t(`formBuilder.language.${other}`) })}
          lang={other}
          maxLength={500}
          value={translationOf(coding._display, other) ?? ''}
          onChange={({ currentTarget }) => {
            const { _display, ...rest } = coding;
            const sibling = withTranslation(_display, other, currentTarget.value);
            const next = { ...rest, ...(sibling === undefined ? {} : { _display: { ..._display, ...sibling } }) };
            onChange({ ...option, valueCoding: next } as Option, `${typing}.${other}`);
          }}
        />
      )}
      <label className="small-choice">
        <input
          type="checkbox"
          checked={option.initialSelected === true}
          onChange={({ currentTarget: { checked } }) =>
            draft.changeItem(item.linkId, (each) => withSelected(each, index, checked))
          }
        />
        {t('formBuilder.field.selected')}
      </label>
      {item.repeats === true && (
        <label className="small-choice">
          <input
            type="checkbox"
            checked={isExclusive}
            onChange={({ currentTarget: { checked } }) =>
              onChange(withExtension(option, 'questionnaire-optionExclusive', checked ? [{ valueBoolean: true }] : []))
            }
          />
          {t('formBuilder.field.exclusive')}
        </label>
      )}
    </li>
  );
}
