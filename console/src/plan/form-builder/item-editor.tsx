// The settings of one item: its text, how it is answered, and when it is shown.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { useBuilder, useIssue } from './builder-context.ts';
import { CalculatedFields } from './fields/calculated-fields.tsx';
import { DemandFields, type Holder } from './fields/demand-fields.tsx';
import { InitialFields } from './fields/initial-fields.tsx';
import { LimitFields } from './fields/limit-fields.tsx';
import { ControlField, HelpFields, OrientationField, ShownFields } from './fields/look-fields.tsx';
import { OptionFields } from './fields/option-fields.tsx';
import { RuleFields } from './fields/rule-fields.tsx';
import { Section } from './fields/section.tsx';
import { TextFields } from './fields/text-fields.tsx';
import { UnitFields } from './fields/unit-fields.tsx';
import { VariableFields } from './fields/variable-fields.tsx';
import { demandsOf } from './model/constraints.ts';
import { expressionOf } from './model/expressions.ts';
import { translationOf, withTranslation } from './model/extensions.ts';
import { initialInputOf, withOneInitial } from './model/initial.ts';
import { isQuestion, KINDS, offeredKind, withKind } from './model/kinds.ts';
import type { Item } from './model/tree.ts';
import { variablesOf } from './model/variables.ts';

interface ItemEditorProps {
  readonly item: Item;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

export function ItemEditor({ item, onDuplicate, onRemove }: ItemEditorProps) {
  const { t } = useTranslation();
  const { open } = useBuilder();
  return (
    <div className="item-editor">
      <ItemTexts item={item} />
      <KindField item={item} />
      {item.type === 'coding' && <OptionFields item={item} />}
      {item.type === 'quantity' && <UnitFields item={item} />}
      {item.type !== 'display' && <AnswerSwitches item={item} />}
      <LimitFields item={item} />
      <RuleFields item={item} />
      <More item={item} />
      <p className="actions">
        <Button onClick={() => open(undefined)}>{t('formBuilder.done')}</Button>
        <Button variant="default" onClick={onDuplicate}>
          {t('formBuilder.duplicate')}
        </Button>
        <Button variant="default" onClick={onRemove}>
          {t('formBuilder.remove')}
        </Button>
      </p>
    </div>
  );
}

function ItemTexts({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft, other = 'en' } = useBuilder();
  const { linkId } = item;
  const name = item.type === 'group' ? 'groupText' : item.type === 'display' ? 'displayText' : 'text';
  return (
    <TextFields
      id={textFieldId(linkId)}
      label={t(`formBuilder.field.${name}`)}
      error={useIssue(linkId, 'text')}
      translationError={useIssue(linkId, 'translation')}
      isLong={item.type === 'display'}
      value={item.text ?? ''}
      translation={translationOf(item._text, other) ?? ''}
      onChange={(text) => draft.changeItem(linkId, (each) => ({ ...each, text }), `${linkId}.text`)}
      onTranslate={(text) =>
        draft.changeItem(
          linkId,
          ({ _text, ...each }) => {
            const next = withTranslation(_text, other, text);
            return { ...each, ...(next === undefined ? {} : { _text: { ..._text, ...next } }) } as Item;
          },
          `${linkId}.translation`,
        )
      }
    />
  );
}

/** The field that gets the focus when an item is added. */
export function textFieldId(linkId: string): string {
  return `text-${linkId}`;
}

function KindField({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const kind = offeredKind(item.type);
  if (kind === undefined) return <p className="quiet">{t('formBuilder.otherKind')}</p>;
  // Groups stay groups, as the questions in them would be lost.
  if (item.type === 'group') return null;
  const kinds = [...KINDS.common, ...KINDS.more, 'display' as const];
  return (
    <NativeSelect
      label={t('formBuilder.field.kind')}
      value={kind}
      onChange={({ currentTarget }) => {
        const next = kinds.find((each) => each === currentTarget.value);
        if (next !== undefined) draft.changeItem(item.linkId, (each) => withKind(each, next));
      }}
      data={kinds.map((value) => ({ value, label: t(`formBuilder.kind.${value}`) }))}
    />
  );
}

function AnswerSwitches({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const several =
    item.type === 'group' ? 'repeatedGroup' : item.type === 'coding' ? 'severalChoices' : 'severalAnswers';
  const set = (name: 'required' | 'repeats', isOn: boolean) =>
    draft.changeItem(item.linkId, ({ [name]: _, ...each }) =>
      withOneInitial({ ...each, ...(isOn ? { [name]: true } : {}) } as Item),
    );
  return (
    <>
      <CheckBox
        label={t('formBuilder.field.required')}
        isChecked={item.required === true}
        onChange={(isOn) => set('required', isOn)}
      />
      {item.type !== 'boolean' && (
        <CheckBox
          label={t(`formBuilder.field.${several}`)}
          isChecked={item.repeats === true}
          onChange={(isOn) => set('repeats', isOn)}
        />
      )}
    </>
  );
}

function More({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const change: Holder['change'] = (changed, typing) => draft.changeItem(item.linkId, changed, typing);
  const isAsked = isQuestion(item);
  const hasInitials = initialInputOf(item) !== undefined || item.answerOption === undefined;
  return (
    <>
      {isAsked && (item.type !== 'attachment' || isCalculated(item)) && hasInitials && (
        <Section name="initial" isUsed={(item.initial ?? []).length > 0 || expressionOf(item, 'initial') !== undefined}>
          <InitialFields item={item} />
        </Section>
      )}
      {isAsked && (
        <Section name="calculated" isUsed={isCalculated(item)}>
          <CalculatedFields item={item} />
        </Section>
      )}
      {item.type !== 'display' && (
        <Section name="demands" isUsed={demandsOf(item).length > 0}>
          <DemandFields element={item} linkId={item.linkId} change={change} />
        </Section>
      )}
      {item.type !== 'display' && (
        <Section name="variables" isUsed={variablesOf(item).length > 0}>
          <VariableFields element={item} linkId={item.linkId} change={change} />
        </Section>
      )}
      <Section name="look" isUsed={false}>
        <HelpFields item={item} />
        <ControlField item={item} />
        <OrientationField item={item} />
        <ShownFields item={item} />
        {item.type !== 'display' && (
          <TextInput
            label={t('formBuilder.field.prefix')}
            maxLength={20}
            value={item.prefix ?? ''}
            onChange={({ currentTarget: { value } }) =>
              draft.changeItem(
                item.linkId,
                ({ prefix: _, ...each }) => ({ ...each, ...(value === '' ? {} : { prefix: value }) }),
                `${item.linkId}.prefix`,
              )
            }
          />
        )}
      </Section>
    </>
  );
}

function isCalculated(item: Item): boolean {
  return expressionOf(item, 'calculated') !== undefined;
}
