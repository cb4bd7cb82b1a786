// A text of the form, and beside it the same in the other language where the form has two.
import { Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useBuilder } from '../builder-context.ts';

interface TextFieldsProps {
  readonly id?: string;
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly translationError?: string | undefined;
  readonly isLong?: boolean;
  readonly value: string;
  readonly translation: string;
  readonly onChange: (text: string) => void;
  readonly onTranslate: (text: string) => void;
  /** Beside the first field. */
  readonly children?: ReactNode;
}

const MOST_CHARACTERS = 2_000;

export function TextFields({ onChange, onTranslate, value, translation, ...props }: TextFieldsProps) {
  const { id, label, description, error, translationError, isLong = false, children } = props;
  const { t } = useTranslation();
  const { other } = useBuilder();
  const Field = isLong ? Textarea : TextInput;
  return (
    <>
      <div className="field-row">
        <Field
          {...(id === undefined ? {} : { id })}
          label={label}
          description={description}
          error={error}
          maxLength={MOST_CHARACTERS}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {children}
      </div>
      {other !== undefined && (
        <Field
          label={t('formBuilder.inLanguage', { label, language: t(`formBuilder.language.${other}`) })}
          lang={other}
          error={translationError}
          maxLength={MOST_CHARACTERS}
          value={translation}
          onChange={({ currentTarget }) => onTranslate(currentTarget.value)}
        />
      )}
    </>
  );
}
