// A text to be used elsewhere, with a button that copies it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface CopyTextProps {
  readonly text: string;
  /** What it is, for who does not see what stands around it. */
  readonly label: string;
}

export function CopyText({ text, label }: CopyTextProps) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  return (
    <p className="row">
      <code>{text}</code>
      <button
        type="button"
        className="plain-button"
        aria-label={t('caregiver.system.copyOf', { label })}
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {t(isCopied ? 'caregiver.system.copied' : 'caregiver.system.copy')}
      </button>
    </p>
  );
}
