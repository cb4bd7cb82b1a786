// A button that copies a text, alone or beside the text.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface CopyProps {
  readonly text: string;
  /** What it is, for who does not see what is around it. */
  readonly label: string;
}

interface CopyButtonProps extends CopyProps {
  /** Whether the button says what it copies, as nothing beside it does. */
  readonly isNamed?: boolean;
}

export function CopyButton({ text, label, isNamed = false }: CopyButtonProps) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState<string>();
  const isCopied = copied === text;
  const full = t(isCopied ? 'copy.copiedOf' : 'copy.copyOf', { label });
  return (
    <button
      type="button"
      className="plain-button"
      aria-label={full}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {isNamed ? full : t(isCopied ? 'copy.copied' : 'copy.copy')}
    </button>
  );
}

export function CopyText({ text, label }: CopyProps) {
  return (
    <p className="row">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </p>
  );
}
