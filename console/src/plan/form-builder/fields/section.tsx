// Settings that few need, behind their name.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface SectionProps {
  readonly name: 'initial' | 'calculated' | 'demands' | 'variables' | 'look' | 'whole';
  /** Opened where there is something in it. */
  readonly isUsed: boolean;
  readonly children: ReactNode;
}

export function Section({ name, isUsed, children }: SectionProps) {
  const { t } = useTranslation();
  const [wasUsed] = useState(isUsed);
  return (
    <details open={wasUsed}>
      <summary>{t(`formBuilder.section.${name}`)}</summary>
      {children}
    </details>
  );
}
