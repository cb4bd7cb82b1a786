// The limits of an answer: from and to, how many characters, how it is written, which files.
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../../shared/fields/check-box.tsx';
import { useBuilder, useIssue } from '../builder-context.ts';
import { extensionsOf, withExtension } from '../model/extensions.ts';
import {
  exampleOf,
  inputOf,
  type LimitName,
  limitsOf,
  limitText,
  patternOf,
  withLimit,
  withPattern,
} from '../model/limits.ts';
import type { Item } from '../model/tree.ts';

export function LimitFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const names = limitsOf(item);
  return (
    <>
      {names.length > 0 && (
        <fieldset className="field">
          <legend>{t('formBuilder.limits')}</legend>
          <div className="filters">
            {names.map((name) => (
              <LimitField key={name} item={item} name={name} />
            ))}
          </div>
        </fieldset>
      )}
      {item.type === 'string' && <PatternFields item={item} />}
      {item.type === 'attachment' && <MediaField item={item} />}
      {item.type === 'reference' && <ReferenceFields item={item} />}
    </>
  );
}

const TYPES = { date: 'date', dateTime: 'datetime-local', time: 'time', whole: 'text', number: 'text' } as const;

function LimitField({ item, name }: { readonly item: Item; readonly name: LimitName }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const input = inputOf(item, name);
  const isMoment = input === 'date' || input === 'dateTime' || input === 'time';
  const label = isMoment ? (name === 'min' ? 'from' : 'to') : name;
  // A number in the making is none yet, so what is typed stays as it is.
  const [typed, setTyped] = useState(() => limitText(item, name));
  const shown = input === 'dateTime' ? typed.slice(0, 16) : input === 'time' ? typed.slice(0, 5) : typed;
  return (
    <TextInput
      type={TYPES[input]}
      inputMode={isMoment ? undefined : 'decimal'}
      autoComplete="off"
      label={t(`formBuilder.field.${label}`)}
      error={useIssue(item.linkId, name)}
      maxLength={30}
      value={shown}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const text = input === 'dateTime' && value !== '' ? new Date(value).toISOString() : value;
        draft.changeItem(item.linkId, (each) => withLimit(each, name, text), `${item.linkId}.${name}`);
      }}
    />
  );
}

/** What is asked for most; each with an example that is shown in the field. */
const PATTERNS = {
  digits: { pattern: '\\d+', example: '' },
  postcode: { pattern: '\\d{3} ?\\d{2}', example: '123 45' },
  phone: { pattern: '[+]?[\\d -]{6,20}', example: '070-123 45 67' },
  personnummer: { pattern: '(?:\\d{2})?\\d{6}[-+]?\\d{4}', example: '19121212-1212' },
} as const;
type PatternName = keyof typeof PATTERNS;
const NAMES: readonly PatternName[] = ['digits', 'postcode', 'phone', 'personnummer'];

function PatternFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const pattern = patternOf(item);
  const named = NAMES.find((name) => PATTERNS[name].pattern === pattern);
  const [isOwn, setOwn] = useState(pattern !== '' && named === undefined);
  const set = (next: string, example: string, typing?: string) =>
    draft.changeItem(item.linkId, (each) => withPattern(each, next, example), typing);
  const issue = useIssue(item.linkId, 'pattern');
  return (
    <>
      <NativeSelect
        label={t('formBuilder.field.pattern')}
        value={isOwn ? 'own' : (named ?? 'any')}
        onChange={({ currentTarget: { value } }) => {
          const name = NAMES.find((each) => each === value);
          setOwn(value === 'own');
          if (value !== 'own')
            set(name === undefined ? '' : PATTERNS[name].pattern, name ? PATTERNS[name].example : '');
        }}
        data={(['any', ...NAMES, 'own'] as const).map((value) => ({
          value,
          label: t(`formBuilder.patterns.${value}`),
        }))}
      />
      {isOwn && (
        <>
          <TextInput
            label={t('formBuilder.field.ownPattern')}
            description={t('formBuilder.field.patternHint')}
            error={issue}
            maxLength={200}
            value={pattern}
            onChange={({ currentTarget }) => set(currentTarget.value, exampleOf(item), `${item.linkId}.pattern`)}
          />
          <TextInput
            label={t('formBuilder.field.example')}
            maxLength={100}
            value={exampleOf(item)}
            onChange={({ currentTarget }) => set(pattern, currentTarget.value, `${item.linkId}.example`)}
          />
        </>
      )}
    </>
  );
}

const MEDIA = { any: [], image: ['image/*'], pdf: ['application/pdf'] } as const;
const MEDIA_NAMES = ['any', 'image', 'pdf'] as const;

function MediaField({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const given = extensionsOf(item, 'mimeType').flatMap(({ valueCode }) => valueCode ?? []);
  return (
    <NativeSelect
      label={t('formBuilder.field.files')}
      value={MEDIA_NAMES.find((name) => MEDIA[name].join() === given.join()) ?? 'any'}
      onChange={({ currentTarget: { value } }) => {
        const media = MEDIA[MEDIA_NAMES.find((name) => name === value) ?? 'any'];
        const values = media.map((valueCode) => ({ valueCode }));
        draft.changeItem(item.linkId, (each) => withExtension(each, 'mimeType', values));
      }}
      data={MEDIA_NAMES.map((value) => ({ value, label: t(`formBuilder.media.${value}`) }))}
    />
  );
}

const RESOURCES = ['Patient', 'RelatedPerson', 'Practitioner', 'Organization', 'Location', 'Device'] as const;
const REFERENCE = 'questionnaire-referenceResource';

function ReferenceFields({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const given = extensionsOf(item, REFERENCE).flatMap(({ valueCode }) => valueCode ?? []);
  const set = (name: string, isOn: boolean) => {
    const next = isOn ? [...given, name] : given.filter((each) => each !== name);
    const values = next.map((valueCode) => ({ valueCode }));
    draft.changeItem(item.linkId, (each) => withExtension(each, REFERENCE, values));
  };
  return (
    <fieldset className="field">
      <legend>{t('formBuilder.field.references')}</legend>
      {RESOURCES.map((name) => (
        <CheckBox
          key={name}
          label={t(`formBuilder.resource.${name}`)}
          isChecked={given.includes(name)}
          onChange={(isOn) => set(name, isOn)}
        />
      ))}
    </fieldset>
  );
}
