// How a question looks: its control, what helps to answer it, and whether it is shown and may be changed.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../../shared/fields/check-box.tsx';
import { useBuilder, useIssue } from '../builder-context.ts';
import {
  type Control,
  controlsFor,
  orientationOf,
  takesOrientation,
  withControl,
  withOrientation,
} from '../model/controls.ts';
import { controlOf, translationOf, withTranslation } from '../model/extensions.ts';
import { helpOf, isHidden, linkOf, withHelp, withHidden, withLink, withReadOnly } from '../model/help.ts';
import { isQuestion } from '../model/kinds.ts';
import type { Item } from '../model/tree.ts';
import { TextFields } from './text-fields.tsx';

const LOOKS = {
  'radio-button': 'buttons',
  'drop-down': 'list',
  autocomplete: 'search',
  'check-box': 'boxes',
  slider: 'slider',
  gtable: 'rows',
  table: 'table',
  'tab-container': 'tabs',
  page: 'page',
} as const satisfies Readonly<Record<Control, string>>;

export function ControlField({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const controls = controlsFor(item);
  const control = controlOf(item);
  const error = useIssue(item.linkId, 'control');
  if (controls.length === 0) return null;
  const isKnown = control === undefined || controls.some((each) => each === control);
  return (
    <NativeSelect
      label={t('formBuilder.field.control')}
      error={error}
      value={control ?? 'usual'}
      onChange={({ currentTarget: { value } }) =>
        draft.changeItem(item.linkId, (each) => withControl(each, value === 'usual' ? undefined : value))
      }
      data={[
        { value: 'usual', label: t('formBuilder.control.usual') },
        ...controls.map((value) => ({ value, label: t(`formBuilder.control.${LOOKS[value]}`) })),
        ...(isKnown || control === undefined ? [] : [{ value: control, label: t('formBuilder.control.other') }]),
      ]}
    />
  );
}

const ORIENTATIONS = ['vertical', 'horizontal'] as const;

export function OrientationField({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  if (!takesOrientation(item)) return null;
  return (
    <NativeSelect
      label={t('formBuilder.field.orientation')}
      value={orientationOf(item) ?? 'usual'}
      onChange={({ currentTarget: { value } }) =>
        draft.changeItem(item.linkId, (each) =>
          withOrientation(
            each,
            ORIENTATIONS.find((known) => known === value),
          ),
        )
      }
      data={[
        { value: 'usual', label: t('formBuilder.control.usual') },
        ...ORIENTATIONS.map((value) => ({ value, label: t(`formBuilder.orientation.${value}`) })),
      ]}
    />
  );
}

export function HelpFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft, other = 'en' } = useBuilder();
  const { linkId } = item;
  const help = helpOf(item);
  const helpIssue = useIssue(linkId, 'help');
  return (
    <>
      {item.type !== 'display' && (
        <TextFields
          label={t('formBuilder.field.help')}
          description={t('formBuilder.field.helpHint')}
          translationError={helpIssue}
          value={help?.text ?? ''}
          translation={translationOf(help?._text, other) ?? ''}
          onChange={(text) =>
            draft.changeItem(linkId, (each) => withHelp(each, (before) => ({ ...before, text })), `${linkId}.help`)
          }
          onTranslate={(text) =>
            draft.changeItem(
              linkId,
              (each) =>
                withHelp(each, ({ _text, ...before }) => {
                  const next = withTranslation(_text, other, text);
                  return { ...before, ...(next === undefined ? {} : { _text: { ..._text, ...next } }) } as Item;
                }),
              `${linkId}.help.translation`,
            )
          }
        />
      )}
      <TextInput
        label={t('formBuilder.field.link')}
        description={t('formBuilder.field.linkHint')}
        error={useIssue(linkId, 'link')}
        type="url"
        inputMode="url"
        autoComplete="off"
        maxLength={1_000}
        value={linkOf(item)}
        onChange={({ currentTarget }) =>
          draft.changeItem(linkId, (each) => withLink(each, currentTarget.value.trim()), `${linkId}.link`)
        }
      />
    </>
  );
}

export function ShownFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  return (
    <>
      {isQuestion(item) && (
        <CheckBox
          label={t('formBuilder.field.readOnly')}
          isChecked={item.readOnly === true}
          onChange={(isOn) => draft.changeItem(item.linkId, (each) => withReadOnly(each, isOn))}
        />
      )}
      <CheckBox
        label={t('formBuilder.field.hidden')}
        isChecked={isHidden(item)}
        onChange={(isOn) => draft.changeItem(item.linkId, (each) => withHidden(each, isOn))}
      />
    </>
  );
}
